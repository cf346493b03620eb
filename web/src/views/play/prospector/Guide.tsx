// The guided first trip: one lesson at a time, above the deck, whose buttons it lights.
import { Button, icons } from "../../../parts/ui";
import { LESSON_TEXTS, LESSONS, type Lesson } from "./lessons";

type Props = { lesson: Lesson; onClose: () => void; onRestart: () => void };

export function Guide({ lesson, onClose, onRestart }: Props) {
  const at = LESSONS.indexOf(lesson);
  const { title, text } = LESSON_TEXTS[lesson];
  return (
    <section className="pr-guide" aria-label="Guide to a first trip" data-lesson={lesson}>
      <ol className="pr-guide-steps" aria-hidden="true">
        {LESSONS.slice(0, -1).map((each, i) => (
          <li key={each} className={i < at ? "pr-guide-done" : i === at ? "pr-guide-now" : undefined} title={LESSON_TEXTS[each].title} />
        ))}
      </ol>
      <div className="pr-guide-text" role="status">
        <strong>
          {lesson === "done" ? "" : `${at + 1} of ${LESSONS.length - 1} · `}
          {title}.
        </strong>{" "}
        {text}
      </div>
      {lesson === "done" && <Button onClick={onRestart}>Once more</Button>}
      <Button kind="quiet" icon={icons.cross} label="Close the guide" onClick={onClose} />
    </section>
  );
}
