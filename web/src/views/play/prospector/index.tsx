import { Empty } from "../../../parts/ui";

export default function View() {
  return <Empty title="This page is being built" hint="Watch and Play are above." />;
}
