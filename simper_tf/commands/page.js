// The form without a reload: drops, progress, and a player with the count drawn in time with the video.
const form = document.querySelector("form"), input = form.recording, drop = document.querySelector(".drop");
const state = document.querySelector(".state"), place = document.querySelector(".answer");
let url = "";

// Anywhere on the page, as a browser opens what is dropped beside the zone.
document.addEventListener("dragover", event => { event.preventDefault(); drop.classList.add("over"); });
document.addEventListener("dragleave", () => drop.classList.remove("over"));
document.addEventListener("drop", event => {
  event.preventDefault();
  drop.classList.remove("over");
  if (event.dataTransfer.files.length) input.files = event.dataTransfer.files;
});

form.addEventListener("submit", async event => {
  event.preventDefault();
  const path = event.submitter?.getAttribute("formaction") || "/read", key = String(Math.random()).slice(2);
  const sent = new FormData(form), bar = state.querySelector("progress"), told = state.querySelector("span");
  sent.set("key", key);
  if (path === "/sample") sent.delete("recording");
  const busy = is => { state.hidden = !is; for (const button of form.querySelectorAll("button")) button.disabled = is; };
  const ask = async () => {
    const share = await (await fetch(`/progress/${key}`)).json();
    if (share === null) return;
    if (share.before) {
      told.textContent = `In the queue: ${share.before} ${share.before === 1 ? "recording is" : "recordings are"} read before this one.`;
      return;
    }
    bar.value = share;
    told.textContent = share < 0.9 ? `${Math.round(100 * share)} % is read` : "Counting ...";
  };
  const size = path === "/read" ? input.files[0].size / 1e6 : 0;
  if (size > form.dataset.most) {
    place.textContent = `The recording has ${Math.ceil(size)} MB, and the page takes ${form.dataset.most}. Cut it, or start the page with more --max_megabytes.`;
    return;
  }
  bar.removeAttribute("value");
  told.textContent = "Sending ...";
  place.replaceChildren();
  busy(true);
  const timer = setInterval(() => ask().catch(() => {}), 300);
  try {
    const answered = await fetch(path, { method: "POST", body: sent });
    const page = new DOMParser().parseFromString(await answered.text(), "text/html").querySelector(".answer");
    if (page) place.replaceChildren(...page.childNodes);
    else place.textContent = `simper app refused the recording (${answered.status}). Load the page again.`;
  } catch {
    const runs = await fetch("/progress/0").then(() => true, () => false);
    place.textContent = runs
      ? "The recording could not be sent. Has the file changed or moved since it was chosen? Choose it again."
      : "There was no answer: simper app does not run any more. Start it again.";
  }
  clearInterval(timer);
  busy(false);
  URL.revokeObjectURL(url);
  url = path === "/sample" ? "/sample.mp4" : URL.createObjectURL(input.files[0]);
  play(place.querySelector(".player"));
  place.scrollIntoView();
});

function play(player) {
  if (!player) return;
  const [video, count, strip, says] = ["video", ".count", ".strip", "output"].map(name => player.querySelector(name));
  const answers = JSON.parse(player.dataset.answers);
  video.addEventListener("error", () => {
    video.parentElement.hidden = strip.hidden = true;
    says.parentElement.textContent = "This browser cannot play this format. A copy that it plays: simper predict VIDEO --video=counted.mp4";
  });
  strip.addEventListener("click", event => { video.currentTime = event.offsetX / strip.clientWidth * video.duration; });
  video.addEventListener("loadedmetadata", () => { player.hidden = false; frame(); });
  video.addEventListener("error", () => { player.hidden = false; });
  const frame = () => {
    if (!player.isConnected) return;
    says.textContent = drawn(count, answers, video.currentTime);
    marked(strip, answers, video);
    requestAnimationFrame(frame);
  };
  video.src = url;
}

// Draws the answers that last at a moment: box, count, and a hand that goes round once a repetition. Returns the counts.
function drawn(canvas, answers, now) {
  const [width, height, pen] = cleared(canvas), radius = Math.max(Math.min(width, height) / 14, 12);
  let row = 0;
  return answers.map(({ box: [top, left, bottom, right], spans, color }) => {
    const done = spans.filter(([, end]) => end <= now).length, told = `${done} of ${spans.length}`;
    const at = spans.find(([start, end]) => start <= now && now < end);
    if (now < spans[0][0] || now >= spans.at(-1)[1]) return told;
    const x = 1.5 * radius, y = (1.5 + 2.5 * row++) * radius;
    pen.strokeStyle = pen.fillStyle = color;
    pen.lineWidth = 2;
    pen.strokeRect(left * width, top * height, (right - left) * width, (bottom - top) * height);
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    pen.fill();
    const angle = at ? 2 * Math.PI * (now - at[0]) / (at[1] - at[0]) : 0;
    pen.strokeStyle = "#fff";
    pen.lineWidth = radius / 5;
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x + radius * Math.sin(angle), y - radius * Math.cos(angle));
    pen.stroke();
    pen.font = `bold ${1.6 * radius}px system-ui, sans-serif`;
    pen.fillStyle = "#000";
    pen.fillRect(x + 1.3 * radius, y - radius, pen.measureText(done).width + 0.8 * radius, 2 * radius);
    pen.fillStyle = "#fff";
    pen.textBaseline = "middle";
    pen.fillText(done, x + 1.7 * radius, y);
    return told;
  }).join(", ");
}

// Draws every repetition over the time of the video, and where it is now.
function marked(canvas, answers, video) {
  const [width, height, pen] = cleared(canvas), high = height / answers.length, scale = width / video.duration;
  answers.forEach(({ spans, color }, row) => spans.forEach(([start, end], number) => {
    pen.globalAlpha = number % 2 ? 0.35 : 0.8;
    pen.fillStyle = color;
    pen.fillRect(scale * start, row * high, scale * (end - start), high);
  }));
  pen.globalAlpha = 1;
  pen.fillStyle = getComputedStyle(canvas).color;
  pen.fillRect(Math.min(scale * video.currentTime, width - 2), 0, 2, height);
}

function cleared(canvas) {
  [canvas.width, canvas.height] = [canvas.clientWidth, canvas.clientHeight];
  return [canvas.width, canvas.height, canvas.getContext("2d")];
}
