// Saving a finished match, once: a download, kept in this tab so that Watch can show it at once.
import { useState } from "react";
import { useNavigate } from "react-router";
import { keepLocal } from "../../parts/player/local";
import { sentence } from "../../api/client";
import { toast } from "../../parts/ui";
import { saveFile } from "./saveFile";

type File = { name: string; bytes: Uint8Array };

/** match: what is saved; another one can be saved again. */
export function useSaving(match: unknown, make: () => Promise<File>): { saved: boolean; save: () => void } {
  const [saved, setSaved] = useState<unknown>(null);
  const navigate = useNavigate();
  const save = () => {
    make().then(
      ({ name, bytes }) => {
        saveFile(name, bytes);
        setSaved(match);
        toast(`Saved as ${name}`, { label: "Watch it", run: () => void navigate(keepLocal(name, bytes)) });
      },
      (problem: unknown) => toast(sentence(problem)),
    );
  };
  return { saved: saved === match && match !== null, save };
}
