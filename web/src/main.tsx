import "./style/tokens.css";
import "./style/base.css";
import "./parts/ui/ui.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app";

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no element #root for the page to live in.");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
