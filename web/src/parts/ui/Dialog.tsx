import { useEffect, useId, useRef, type ReactNode } from "react";
import { Button } from "./Button";
import { icons } from "./icons";

type Props = { open: boolean; title: string; onClose: () => void; children: ReactNode; actions?: ReactNode };

/** The browser's own modal: it traps focus, closes on Escape and gives focus back. */
export function Dialog({ open, title, onClose, children, actions }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (!dialog) return;
    if (open && !dialog.open) dialog.showModal();
    if (!open && dialog.open) dialog.close();
  }, [open]);
  return (
    <dialog
      className="dialog"
      ref={ref}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => event.target === ref.current && onClose()}
      onKeyDown={(event) => event.stopPropagation()} // the page's shortcuts rest meanwhile
    >
      {open && (
        <div className="dialog-body">
          <header className="panel-head">
            <h2 id={id}>{title}</h2>
            <div className="panel-tools">
              <Button kind="quiet" icon={icons.cross} label="Close" onClick={onClose} />
            </div>
          </header>
          {children}
          {actions && <footer className="row dialog-actions">{actions}</footer>}
        </div>
      )}
    </dialog>
  );
}
