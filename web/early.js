// Stands in index.html itself, before every script: what the first picture of Watch needs is fetched at once and side by
// side, not one after the other as scripts find out about it. vite.config.ts puts the names of built files in place of
// PIECES, and the API's address in place of API_BASE. src/api/early.ts takes what was fetched; without it all works, later.
(() => {
  if (location.pathname !== "/") return;
  const { page, games } = PIECES;
  const hint = (file) => {
    const link = document.createElement("link");
    const style = file.endsWith(".css");
    const wasm = file.endsWith(".wasm");
    link.rel = style || wasm ? "preload" : "modulepreload";
    if (style || wasm) link.as = style ? "style" : "fetch";
    link.crossOrigin = "anonymous";
    link.href = `/${file}`;
    document.head.append(link);
  };
  const hintGame = (game) => (Object.hasOwn(games, game ?? "") ? games[game] : []).forEach(hint);
  const ask = (path, read) =>
    fetch(API_BASE + path, { signal: AbortSignal.timeout(30_000) })
      .then((answer) => (answer.ok ? read(answer) : null))
      .catch(() => null); // the page asks again by itself, and says what is wrong
  const part = encodeURIComponent;
  const fetchReplay = (run, replay) => {
    const path = `/api/runs/${part(run)}/replays/${part(replay)}/file`;
    globalThis.sandlotEarly[path] = ask(path, (answer) => answer.arrayBuffer());
  };

  page.forEach(hint);
  try {
    hintGame(localStorage.getItem("sandlot.game")); // the game watched last
  } catch {}
  const asked = new URLSearchParams(location.search);
  const newest = ask("/api/newest", (answer) => answer.json());
  globalThis.sandlotEarly = { "/api/newest": newest };
  if (asked.has("frames")) return;
  if (asked.has("run")) {
    if (asked.has("replay")) fetchReplay(asked.get("run"), asked.get("replay"));
    return;
  }
  newest.then((found) => {
    if (found?.run) hintGame(found.run.game);
    if (found?.replay) fetchReplay(found.replay.run_id, found.replay.replay_id);
  });
})();
