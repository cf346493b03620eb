import { Component, type ReactNode } from "react";
import { ErrorNote } from "./states";

/** Keeps the frame standing when a view fails, and says why. */
export class Boundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    return (
      <ErrorNote title="This view stopped." error={this.state.error} onRetry={() => this.setState({ error: null })} />
    );
  }
}
