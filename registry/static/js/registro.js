// Small helps on top of pages that work without them. No eval, no inline script, no dependency on htmx.
(() => {
  "use strict";
  const SHORTCUTS = "registro.atalhos";
  const WAIT = 400;
  const $ = (selector, from = document) => from.querySelector(selector);

  const remembered = () => {
    try { return localStorage.getItem(SHORTCUTS) !== "off"; } catch { return true; }
  };

  const typing = (element) =>
    element.isContentEditable || /^(input|textarea|select)$/i.test(element.tagName);

  // "/" goes to the search box; the user menu switches it off
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (typing(event.target) || !remembered()) return;
    const box = $('input[type="search"]');
    if (box) { event.preventDefault(); box.focus(); }
  });

  const nameShortcuts = (button) => {
    button.textContent = remembered() ? "Desligar o atalho /" : "Ligar o atalho /";
    button.setAttribute("aria-pressed", String(remembered()));
    document.querySelectorAll("kbd").forEach((key) => { key.hidden = !remembered(); });
  };

  document.addEventListener("click", (event) => {
    const reveal = event.target.closest("[data-reveal]");
    if (reveal) {
      const input = document.getElementById(reveal.dataset.reveal);
      const shown = input.type === "text";
      input.type = shown ? "password" : "text";
      reveal.textContent = shown ? "Mostrar" : "Esconder";
      reveal.setAttribute("aria-pressed", String(!shown));
    }
    if (event.target.closest("[data-print]")) window.print();
    const shortcuts = event.target.closest("[data-shortcuts]");
    if (shortcuts) {
      try { localStorage.setItem(SHORTCUTS, remembered() ? "off" : "on"); } catch { /* private window */ }
      nameShortcuts(shortcuts);
    }
    document.querySelectorAll("details.who[open]").forEach((menu) => {
      if (!menu.contains(event.target)) menu.open = false;
    });
    if (!event.target.closest("form[role=search]")) closeLists();
  });

  const start = (root) => {
    root.querySelectorAll("[data-no-js]").forEach((button) => { button.hidden = true; });
    root.querySelectorAll("[data-js]").forEach((each) => { each.hidden = false; });
    root.querySelectorAll("[data-reveal], [data-print]").forEach((button) => { button.hidden = false; });
    root.querySelectorAll("[data-shortcuts]").forEach((button) => { button.hidden = false; nameShortcuts(button); });
  };

  // a refused form: the focus goes to the first field that is wrong
  const focusFault = (root) => {
    const fault = $("[autofocus]", root) || $('[aria-invalid="true"]', root) || $("#erros", root);
    if (fault) fault.focus();
  };

  // waiting: said only when it takes long
  const waits = new WeakMap();
  document.addEventListener("htmx:beforeRequest", (event) => {
    const place = event.detail.target;
    waits.set(event.detail.xhr, setTimeout(() => place.setAttribute("aria-busy", "true"), WAIT));
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    clearTimeout(waits.get(event.detail.xhr));
    if (event.detail.target) event.detail.target.removeAttribute("aria-busy");
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    start(event.target);
    const status = event.detail.xhr ? event.detail.xhr.status : 0;
    if (status === 422) focusFault(event.target);
    const box = event.target.id && document.querySelector(`[role=combobox][aria-controls="${event.target.id}"]`);
    if (box) openList(box, event.target);
  });
  document.addEventListener("htmx:sendError", (event) => {
    const item = event.detail.elt && event.detail.elt.closest("[data-keep]");
    if (item && keepTap(item, event.detail.requestConfig)) return;
    const place = $("#aviso");
    if (!place) return;
    const text = document.createElement("div");
    text.className = "aviso msg warn";
    text.textContent = "Sem conexão agora. O que você digitou continua nesta página: tente de novo em instantes.";
    place.replaceChildren(text);
  });

  // the checklist without a signal: taps stay on this device and are sent when the connection is back
  const KEPT = "registro.guardados";
  const kept = () => {
    try { return JSON.parse(localStorage.getItem(KEPT) || "{}"); } catch { return {}; }
  };
  const keep = (all) => {
    try { localStorage.setItem(KEPT, JSON.stringify(all)); return true; } catch { return false; }
  };
  const listOfPage = () => { const list = $("[data-kept]"); return list ? list.dataset.kept : ""; };
  const ofPage = (all) => Object.keys(all).filter((key) => listOfPage() && key.startsWith(`${listOfPage()}:`));
  const sayKept = (rest = "") => {
    const line = $("#guardados");
    if (!line) return;
    const count = ofPage(kept()).length;
    const what = count === 1 ? "1 item guardado neste aparelho." : `${count} itens guardados neste aparelho.`;
    line.hidden = count === 0 && !rest;
    const held = photos().length ? " As fotos esperam nesta página: não a feche." : "";
    line.textContent = rest || `Sem sinal. ${what} Enviamos quando a conexão voltar.${held}`;
  };
  // a photo cannot be kept on the device: it stays in its field until the connection is back
  const photos = () => [...document.querySelectorAll("[data-keep] input[type=file]")].filter((field) => field.files.length);
  const sendPhotos = () => photos().forEach((field) => field.dispatchEvent(new Event("change", { bubbles: true })));
  // a photo chosen while the tap before it was on its way outlives the swap of its item
  let chosen = null;
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { target, requestConfig } = event.detail;
    const field = target && target.matches("[data-keep]") ? $("input[type=file]", target) : null;
    const sent = field && requestConfig.formData ? requestConfig.formData.getAll(field.name).filter((each) => each.size) : [];
    chosen = field && field.files.length && !sent.length ? { id: field.id, files: field.files } : null;
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    const field = event.target.matches("[data-keep]") ? $("input[type=file]", event.target) : null;
    if (!field) return;
    if (chosen && chosen.id === field.id) field.files = chosen.files;
    chosen = null;
    if (field.files.length) field.dispatchEvent(new Event("change", { bubbles: true }));
  });
  const keepTap = (item, request) => {
    const body = new URLSearchParams();
    item.querySelectorAll("input:checked, textarea").forEach((field) => body.append(field.name, field.value));
    const version = $('input[name="version"]');
    if (version) body.append("version", version.value);
    const done = keep({ ...kept(), [item.dataset.keep]: { path: request.path, body: body.toString() } });
    sayKept();
    return done;
  };
  const sendKept = async () => {
    const waiting = ofPage(kept());
    if (!waiting.length || !navigator.onLine) { sayKept(); if (navigator.onLine) sendPhotos(); return; }
    const token = $('#lista input[name="csrf_token"]');
    let refused = 0;
    for (const key of waiting) {
      const { path, body } = kept()[key];
      let answer;
      try {
        answer = await fetch(path, {
          method: "POST",
          redirect: "manual",
          headers: {
            "Content-Type": "application/x-www-form-urlencoded",
            "HX-Request": "true",
            "X-CSRFToken": token ? token.value : "",
          },
          body,
        });
      } catch { sayKept(); return; }
      if (answer.status === 0 || answer.status === 401 || answer.status >= 500) {
        sayKept("Sua sessão terminou ou o sistema não respondeu. Os itens continuam guardados neste aparelho.");
        return;
      }
      const { [key]: sent, ...rest } = kept();
      keep(rest);
      if (!answer.ok) refused += 1;
    }
    if (refused) sayKept(`${refused === 1 ? "1 item guardado não foi aceito" : `${refused} itens guardados não foram aceitos`}. Confira na lista.`);
    else if (photos().length) { sayKept(); sendPhotos(); }
    else location.reload();
  };
  window.addEventListener("online", sendKept);

  // combobox: arrows, Enter, Esc
  const options = (list) => [...list.querySelectorAll("[role=option]")];
  const openList = (box, list) => {
    const full = list.children.length > 0 && document.activeElement === box && box.value.trim() !== "";
    list.hidden = !full;
    box.setAttribute("aria-expanded", String(full));
    box.removeAttribute("aria-activedescendant");
  };
  const closeLists = () => {
    document.querySelectorAll("[role=combobox]").forEach((box) => {
      const list = document.getElementById(box.getAttribute("aria-controls"));
      if (list) list.hidden = true;
      box.setAttribute("aria-expanded", "false");
      box.removeAttribute("aria-activedescendant");
    });
  };
  document.addEventListener("keydown", (event) => {
    const box = event.target.closest("[role=combobox]");
    if (!box) return;
    const list = document.getElementById(box.getAttribute("aria-controls"));
    if (!list || list.hidden) return;
    const all = options(list);
    const here = all.findIndex((option) => option.getAttribute("aria-selected") === "true");
    if (event.key === "Escape") { event.preventDefault(); closeLists(); return; }
    if (event.key === "Enter" && here >= 0) { event.preventDefault(); all[here].click(); return; }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp" || !all.length) return;
    event.preventDefault();
    const next = event.key === "ArrowDown" ? (here + 1) % all.length : (here - 1 + all.length) % all.length;
    all.forEach((option, place) => option.setAttribute("aria-selected", String(place === next)));
    box.setAttribute("aria-activedescendant", all[next].id);
    all[next].scrollIntoView({ block: "nearest" });
  });

  start(document);
  focusFault(document);
  sendKept();
})();
