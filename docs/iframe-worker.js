// A worker in a hidden frame, for a site opened from disk, where browsers refuse the workers that a search needs.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.body.appendChild(document.createElement("iframe"));
      frame.hidden = true;
      const inside = frame.contentWindow;
      const script = inside.document.createElement("script");
      const loaded = new Promise(done => script.addEventListener("load", done));
      inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }));
      this.postMessage = data => loaded.then(() => inside.dispatchEvent(new MessageEvent("message", { data })));
      this.terminate = () => frame.remove();
      script.src = new URL(address, location.href).href;
      inside.document.documentElement.appendChild(script);
    }
  };
}
