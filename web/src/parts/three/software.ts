// Whether a processor draws in place of a graphics card. Browsers tell it by the renderer's name alone: some hand out a
// context that was asked to fail on such machines.

const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

export function isSoftware(renderer: string): boolean {
  return SOFTWARE.test(renderer);
}

let known: boolean | null = null;

/** Asked of a canvas of its own, because smooth edges are chosen before the context that could tell is there. */
export function drawsBySoftware(): boolean {
  return (known ??= isSoftware(rendererName()));
}

function rendererName(): string {
  const context = document.createElement("canvas").getContext("webgl2", { antialias: false, depth: false });
  if (!context) return "";
  const extension = context.getExtension("WEBGL_debug_renderer_info");
  const name = String(context.getParameter(extension ? extension.UNMASKED_RENDERER_WEBGL : context.RENDERER));
  context.getExtension("WEBGL_lose_context")?.loseContext();
  return name;
}
