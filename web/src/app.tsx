// The frame of every page: name, navigation, theme switch; the four views load when they are visited.
import { lazy, Suspense, useEffect } from "react";
import { BrowserRouter, NavLink, Route, Routes, useLocation } from "react-router";
import { Boundary, Empty, Loading, Toasts } from "./parts/ui";
import { Mark } from "./parts/ui/icons";
import { ThemeSwitch } from "./parts/ui/ThemeSwitch";

const PAGES = [
  { path: "/", name: "Watch", view: lazy(() => import("./views/watch")) },
  { path: "/play", name: "Play", view: lazy(() => import("./views/play")) },
  { path: "/analytics", name: "Analytics", view: lazy(() => import("./views/analytics")) },
  { path: "/runs", name: "Runs", view: lazy(() => import("./views/runs")) },
];

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
          The policy is trained on numbers; the picture is only a view of them.
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
      <Suspense fallback={<Loading what="the page" />}>
        <Routes>
          {PAGES.map(({ path, view: View }) => (
            <Route key={path} path={path === "/" ? "/" : `${path}/*`} element={<View />} />
          ))}
          <Route path="*" element={<Empty title="There is no such page" hint="Watch, Play, Analytics and Runs are above." />} />
        </Routes>
      </Suspense>
    </Boundary>
  );
}
