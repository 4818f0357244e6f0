"use strict";
// Without this script a deal shows all its steps below each other; with it, one at a time.
(() => {
  const label = (text, aria, act) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.setAttribute("aria-label", aria);
    button.addEventListener("click", act);
    return button;
  };

  const walk = (list) => {
    const steps = [...list.children];
    const bar = document.createElement("div");
    const slider = document.createElement("input");
    const count = document.createElement("output");
    let now = 0;
    const show = (number) => {
      now = Math.min(Math.max(number, 0), steps.length - 1);
      steps.forEach((step, k) => { step.hidden = k !== now; });
      slider.value = now;
      slider.setAttribute("aria-valuetext", `step ${now + 1} of ${steps.length}`);
      count.textContent = `${now + 1} of ${steps.length}`;
      [first.disabled, back.disabled] = [now === 0, now === 0];
      [next.disabled, last.disabled] = [now === steps.length - 1, now === steps.length - 1];
    };
    const worse = (way) => {
      for (let k = now + way; k >= 0 && k < steps.length; k += way) {
        if ("blunder" in steps[k].dataset) return show(k);
      }
    };
    const first = label("|◀", "first step", () => show(0));
    const back = label("◀", "step back", () => show(now - 1));
    const next = label("▶", "next step", () => show(now + 1));
    const last = label("▶|", "last step", () => show(steps.length - 1));
    Object.assign(slider, { type: "range", min: 0, max: steps.length - 1 });
    slider.setAttribute("aria-label", "step");
    slider.addEventListener("input", () => show(Number(slider.value)));
    bar.className = "controls";
    bar.append(first, back, next, last, slider, count);
    if (steps.some((step) => "blunder" in step.dataset)) {
      bar.append(label("next blunder", "next blunder", () => worse(1)));
    }
    list.before(bar);
    list.classList.add("live");
    list.setAttribute("aria-live", "polite");
    list.parentElement.addEventListener("keydown", (event) => {
      if (event.target === slider) return;
      const go = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (go === undefined || event.target.closest(".scroll")) return;
      show(now + go);
      event.preventDefault();
    });
    list.goTo = (step) => show(steps.indexOf(step));
    show(0);
  };

  const follow = () => {
    const step = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (!step) return;
    const list = step.closest("ol.steps");
    if (list) {
      list.closest("details").open = true;
      list.goTo(step);
      list.closest("details").scrollIntoView();
    } else if (step.matches("details")) {
      step.open = true;
    }
  };

  document.querySelectorAll("ol.steps").forEach(walk);
  document.addEventListener("click", (event) => {
    // The same link again does not change the address, so the browser would not tell.
    const link = event.target.closest("a[href^='#']");
    if (link && link.getAttribute("href") === location.hash) follow();
  });
  addEventListener("hashchange", follow);
  follow();
})();
