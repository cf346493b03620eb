// Runs: the list, and one run with its details.
import { Route, Routes } from "react-router";
import { Catalogue } from "./Catalogue";
import { RunPage } from "./RunPage";
import "./runs.css";

export default function Runs() {
  return (
    <Routes>
      <Route index element={<Catalogue />} />
      <Route path=":runId" element={<RunPage />} />
    </Routes>
  );
}
