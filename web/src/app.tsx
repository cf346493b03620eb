// The layout of every page: name, navigation, theme switch. The views are loaded on demand.
import { useEffect } from "react";
import { BrowserRouter, NavLink, Route, Routes, useLocation } from "react-router";
import { Boundary, Empty, later, Toasts } from "./parts/ui";
import { Mark } from "./parts/ui/icons";
import { ThemeSwitch } from "./parts/ui/ThemeSwitch";

const PAGES = [
  { path: "/", name: "Watch", view: later(() => import("./views/watch"), "the page") },
  { path: "/learn", name: "Learn", view: later(() => import("./views/learn"), "the page") },
  { path: "/play", name: "Play", view: later(() => import("./views/play"), "the page") },
  { path: "/analytics", name: "Analytics", view: later(() => import("./views/analytics"), "the page") },
  { path: "/runs", name: "Runs", view: later(() => import("./views/runs"), "the page") },
];

// The page that is asked for is fetched while the frame is drawn.
PAGES.find(({ path }) => path === location.pathname)?.view.preload();

export function App() {
  return (
    <BrowserRouter>
      <div className="frame">
        <a className="frame-skip" href="#main">
          Skip to the page
        </a>
        <Head />
        <main className="frame-main" id="main" tabIndex={-1}>
          <Pages />
        </main>
        <footer className="frame-foot">
          The policy is trained on numbers; the picture is only a view of them. Pictures and sounds of space by Kenney (kenney.nl), CC0.
        </footer>
      </div>
      <Toasts />
    </BrowserRouter>
  );
}

function Head() {
  return (
    <header className="frame-head">
      <NavLink className="frame-name" to="/" aria-label="Sandlot, to the start">
        <Mark />
        <span>Sandlot</span>
      </NavLink>
      <nav className="frame-nav" aria-label="Pages">
        {PAGES.map((page) => (
          <NavLink key={page.path} to={page.path} end={page.path === "/"}>
            {page.name}
          </NavLink>
        ))}
      </nav>
      <ThemeSwitch />
    </header>
  );
}

function Pages() {
  const { pathname } = useLocation();
  useEffect(() => {
    const page = PAGES.find((each) => each.path === pathname);
    document.title = page && page.path !== "/" ? `${page.name} · Sandlot` : "Sandlot";
  }, [pathname]);
  return (
    <Boundary key={pathname}>
      <Routes>
        {PAGES.map(({ path, view: View }) => (
          <Route key={path} path={path === "/" ? "/" : `${path}/*`} element={<View />} />
        ))}
        <Route path="*" element={<Empty title="There is no such page" hint="Watch, Learn, Play, Analytics and Runs are above." />} />
      </Routes>
    </Boundary>
  );
}
