import { expect, test } from "vitest";
import { isSoftware } from "../../../../src/parts/three/software";

test.each([
  "ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader driver)",
  "ANGLE (Mesa, llvmpipe (LLVM 15.0.6 256 bits), OpenGL 4.5)",
  "ANGLE (Microsoft, Microsoft Basic Render Driver Direct3D11 vs_5_0 ps_5_0, D3D11)",
  "Apple Software Renderer",
])("%s is a processor that draws", (name) => expect(isSoftware(name)).toBe(true));

test.each(["ANGLE (NVIDIA, NVIDIA GeForce RTX 3060 Direct3D11 vs_5_0 ps_5_0, D3D11)", "Apple GPU", "Mesa Intel(R) UHD Graphics 620", "Adreno (TM) 640", ""])(
  "%s is none",
  (name) => expect(isSoftware(name)).toBe(false),
);
