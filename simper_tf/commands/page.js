// The form without a reload: drops, progress, a box drawn on the first frame, a player with the count drawn in time
// with the video, and the camera.
const form = document.querySelector("form"), input = form.recording, drop = document.querySelector(".drop");
const state = document.querySelector(".state"), place = document.querySelector(".answer");
let urls = [];

// Anywhere on the page, as a browser opens what is dropped beside the zone.
document.addEventListener("dragover", event => { event.preventDefault(); drop.classList.add("over"); });
document.addEventListener("dragleave", () => drop.classList.remove("over"));
document.addEventListener("drop", event => {
  event.preventDefault();
  drop.classList.remove("over");
  if (!event.dataTransfer.files.length) return;
  input.files = event.dataTransfer.files;
  input.dispatchEvent(new Event("change"));
});

form.addEventListener("submit", async event => {
  event.preventDefault();
  const path = event.submitter?.getAttribute("formaction") || "/read", is_sample = path === "/sample";
  const files = is_sample ? [null] : [...input.files];
  urls.forEach(url => URL.revokeObjectURL(url));
  urls = [];
  place.replaceChildren();
  state.hidden = false;
  for (const button of form.querySelectorAll("button")) button.disabled = true;
  for (const [number, file] of files.entries())
    await send(path, file, files.length > 1 ? `${number + 1} of ${files.length}: ` : "");
  state.hidden = true;
  for (const button of form.querySelectorAll("button")) button.disabled = false;
  place.scrollIntoView();
});

// Says why nothing came back: a sentence where simper app runs all the same.
async function unanswered(sentence) {
  const runs = await fetch("/progress/0").then(() => true, () => false);
  return runs ? sentence : "There was no answer: simper app does not run any more. Start it again.";
}

// Sends one recording, and shows its answer below those of others.
async function send(path, file, before) {
  const key = String(Math.random()).slice(2), bar = state.querySelector("progress"), told = state.querySelector("span");
  const sent = new FormData(form), say = sentence => {
    const said = place.appendChild(document.createElement("p"));
    said.setAttribute("role", "alert");
    said.textContent = sentence;
  };
  sent.set("key", key);
  sent.delete("recording");
  if (file) sent.set("recording", file);
  const ask = async () => {
    const share = await (await fetch(`/progress/${key}`)).json();
    if (share === null) return;
    if (share.before) {
      told.textContent = `In the queue: ${share.before} ${share.before === 1 ? "recording is" : "recordings are"} read before this one.`;
      return;
    }
    bar.value = share;
    told.textContent = before + (share < 0.9 ? `${Math.round(100 * share)} % is read` : "Counting ...");
  };
  const size = file ? file.size / 1e6 : 0;
  if (size > form.dataset.most)
    return say(`The recording has ${Math.ceil(size)} MB, and the page takes ${form.dataset.most}. Cut it, or start the page with more --max_megabytes.`);
  bar.removeAttribute("value");
  told.textContent = `${before}Sending ...`;
  const timer = setInterval(() => ask().catch(() => {}), 300);
  try {
    const answered = await fetch(path, { method: "POST", body: sent });
    if (answered.headers.get("Content-Type") === "video/mp4") saved(await answered.blob(), file.name);
    else {
      const page = new DOMParser().parseFromString(await answered.text(), "text/html").querySelector(".answer");
      if (!page) return say(`simper app refused the recording (${answered.status}). Load the page again.`);
      const url = file ? URL.createObjectURL(file) : "/sample.mp4", parts = [...page.childNodes];
      urls.push(url);
      place.append(...parts);
      for (const part of parts) if (part.matches?.(".player")) play(part, url);
    }
  } catch {
    say(await unanswered("The recording could not be sent. Has the file changed or moved since it was chosen? Choose it again."));
  } finally {
    clearInterval(timer);
  }
}

// Saves a copy with the count where the browser puts downloads, and leaves a link to it.
function saved(blob, name) {
  const link = place.appendChild(document.createElement("p")).appendChild(document.createElement("a"));
  link.href = URL.createObjectURL(blob);
  urls.push(link.href);
  link.textContent = link.download = name.replace(/\.[^.]*$/, "") + "_counted.mp4";
  link.click();
}

// The first frame of a video that is chosen alone, on which the part that is read is drawn.
const figure = document.querySelector(".crop-of"), frame = figure.querySelector("video"), plate = figure.querySelector("canvas");
let corner = null;

input.addEventListener("change", () => {
  URL.revokeObjectURL(frame.src);
  figure.hidden = true;
  form.crop.value = "";
  if (input.files.length === 1) frame.src = URL.createObjectURL(input.files[0]);
});
frame.addEventListener("loadeddata", () => { figure.hidden = !frame.videoWidth; boxed(); });
form.crop.addEventListener("input", boxed);
plate.addEventListener("pointerdown", event => { corner = at(event); plate.setPointerCapture(event.pointerId); });
plate.addEventListener("pointerup", () => { corner = null; });
plate.addEventListener("pointermove", event => {
  if (!corner) return;
  const [x, y] = at(event), [left, top] = [Math.min(x, corner[0]), Math.min(y, corner[1])];
  const size = [Math.abs(x - corner[0]), Math.abs(y - corner[1])];
  form.crop.value = Math.min(...size) ? [left, top, ...size].join() : "";
  boxed();
});

// Returns the pixel of the video at which a pointer is.
function at({ offsetX, offsetY }) {
  const [x, y] = [offsetX / plate.clientWidth * frame.videoWidth, offsetY / plate.clientHeight * frame.videoHeight];
  return [Math.round(Math.min(Math.max(x, 0), frame.videoWidth)), Math.round(Math.min(Math.max(y, 0), frame.videoHeight))];
}

function boxed() {
  const [width, height, pen] = cleared(plate), box = form.crop.value.split(",").map(Number);
  if (figure.hidden || box.length !== 4 || box.some(isNaN)) return;
  const [x, y] = [width / frame.videoWidth, height / frame.videoHeight];
  for (const [color, wide] of [["#000", 4], ["#fff", 2]]) {
    [pen.strokeStyle, pen.lineWidth] = [color, wide];
    pen.strokeRect(box[0] * x, box[1] * y, box[2] * x, box[3] * y);
  }
}

function play(player, url) {
  const [video, count, strip, says] = ["video", ".count", ".strip", "output"].map(name => player.querySelector(name));
  const answers = JSON.parse(player.dataset.answers);
  video.addEventListener("error", () => {
    video.parentElement.hidden = strip.hidden = true;
    says.parentElement.innerHTML = "This browser cannot play this format. A copy that it plays: <code>simper predict VIDEO --video=counted.mp4</code>";
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
  return answers.map(({ box: [left, top, wide, high], spans, color }) => {
    const done = spans.filter(([, end]) => end <= now).length, told = `${done} of ${spans.length}`;
    const at = spans.find(([start, end]) => start <= now && now < end);
    if (now < spans[0][0] || now >= spans.at(-1)[1]) return told;
    const x = 1.5 * radius, y = (1.5 + 2.5 * row++) * radius;
    pen.strokeStyle = pen.fillStyle = color;
    pen.lineWidth = 2;
    pen.strokeRect(left * width, top * height, wide * width, high * height);
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

// The camera: the last seconds of small pictures are sent over and over; what was counted before them stays.
const camera = document.querySelector(".camera"), [switched, shown, says] = ["button", "video", "output"].map(name => camera.querySelector(name));
const SIDE = 48, RATE = 15, SECONDS = 20, FEWEST = 60;
let stream = null;
camera.hidden = !navigator.mediaDevices;

switched.addEventListener("click", async () => {
  if (stream) return stopped("");
  try {
    stream = await navigator.mediaDevices.getUserMedia({ video: { width: 640 } });
  } catch (error) {
    says.textContent = `The camera cannot be used (${error.message}). Allow it for this page, or plug one in.`;
    return;
  }
  shown.srcObject = stream;
  await shown.play();
  shown.parentElement.hidden = false;
  switched.textContent = "Stop the camera";
  says.textContent = "0 so far. Move ...";
  watched(stream).catch(unread);
});

async function unread() {
  stopped(await unanswered("The camera's pictures could not be read. Count with it again."));
}

function stopped(sentence) {
  stream?.getTracks().forEach(track => track.stop());
  stream = shown.srcObject = null;
  shown.parentElement.hidden = true;
  switched.textContent = "Count with the camera";
  if (sentence) says.textContent = sentence;
}

async function watched(own) {
  const scale = SIDE / Math.max(shown.videoWidth, shown.videoHeight);
  const [width, height] = [shown.videoWidth, shown.videoHeight].map(side => Math.max(Math.round(scale * side), 2));
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const pen = canvas.getContext("2d", { willReadFrequently: true }), kept = [];
  let counted = [], sent = 0;
  while (stream === own) {
    pen.drawImage(shown, 0, 0, width, height);
    kept.push([performance.now() / 1000, pen.getImageData(0, 0, width, height).data.filter((_, at) => at % 4 < 3)]);
    while (kept.at(-1)[0] - kept[0][0] > SECONDS) kept.shift();
    const now = kept.at(-1)[0];
    if (kept.length >= FEWEST && now - sent > 1 && sent >= 0) {
      const first = kept[0][0], rate = (kept.length - 1) / (now - first);
      sent = -1;  // While it is read, pictures are taken.
      asked(kept.map(([, picture]) => picture), `/camera?height=${height}&width=${width}&rate=${rate}`).then(({ said, spans }) => {
        const whole = spans.slice(counted.length ? 1 : 0);  // The first may be a part of one, which was seen whole before.
        if (whole.length) counted = counted.filter(middle => middle < first + whole[0][0]);
        counted.push(...whole.map(([start, end]) => first + (start + end) / 2));
        if (stream === own) says.textContent = `${counted.length} so far. ${said}`;
        sent = performance.now() / 1000;
      }).catch(unread);
    }
    await new Promise(done => setTimeout(done, 1000 / RATE));
  }
}

async function asked(pictures, path) {
  return (await fetch(path, { method: "POST", body: new Blob(pictures) })).json();
}
