// The plain look of a picture in motion where a processor draws: the same colours and light, without shadows, by one small
// shader for everything. three.js makes a shader for each kind of material; compiling those is what the first picture would wait for.
import {
  Color, DirectionalLight, HemisphereLight, LineBasicMaterial, LineSegments, Matrix3, Mesh, MeshBasicMaterial, MeshLambertMaterial, NoBlending,
  NormalBlending, Object3D, ShaderMaterial, Texture, Vector3, Vector4,
} from "three";
import { WHITE } from "./white";

type Skin = MeshBasicMaterial | MeshLambertMaterial | LineBasicMaterial;
type Part = Mesh | LineSegments;

// Light is worked out a corner at a time: what is flat has one light all over, and what is round has many corners.
const VERTEX = `
const float PI = 3.14159265;
attribute vec4 color;
uniform vec4 paint;
uniform mat3 place;
uniform vec3 sunWay, sun, above, below;
uniform float lit;
varying vec2 at;
varying vec4 tint;
void main() {
  vec3 outward = normalize(mat3(modelMatrix) * normal + vec3(0.0, 1e-9, 0.0));
  vec3 light = max(dot(outward, sunWay), 0.0) * sun + mix(below, above, 0.5 * outward.y + 0.5);
  tint = paint * color * vec4(mix(vec3(1.0), light / PI, lit), 1.0);
  at = (place * vec3(uv, 1.0)).xy;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const FRAGMENT = `
uniform sampler2D picture;
uniform vec3 glow;
uniform float toned;
varying vec2 at;
varying vec4 tint;
void main() {
  vec4 seen = texture2D(picture, at) * tint;
  seen.rgb += glow;
  seen.rgb = mix(seen.rgb, toneMapping(seen.rgb), toned);
  gl_FragColor = linearToOutputTexel(seen);
}`;

export class PlainLook {
  readonly #light = { sunWay: { value: new Vector3() }, sun: { value: new Color() }, above: { value: new Color() }, below: { value: new Color() } };
  readonly #worn = new Map<Part, Skin>(); // what each part wears otherwise
  readonly #copies = new WeakMap<Skin, ShaderMaterial>();

  /** Everything wears its plain copy, as its own skin is now. */
  putOn(scene: Object3D, sun: DirectionalLight, air: HemisphereLight): void {
    const { sunWay, sun: strength, above, below } = this.#light;
    sunWay.value.copy(sun.position).sub(sun.target.position).normalize();
    strength.value.copy(sun.color).multiplyScalar(sun.intensity);
    above.value.copy(air.color).multiplyScalar(air.intensity);
    below.value.copy(air.groundColor).multiplyScalar(air.intensity);
    scene.traverse((part) => {
      if (!(part instanceof Mesh || part instanceof LineSegments)) return;
      const skin = this.#worn.get(part) ?? (part.material as Skin);
      this.#worn.set(part, skin);
      part.material = this.#copyOf(skin);
    });
  }

  takeOff(): void {
    for (const [part, skin] of this.#worn) part.material = skin;
    this.#worn.clear();
  }

  #copyOf(skin: Skin): ShaderMaterial {
    let copy = this.#copies.get(skin);
    if (!copy) this.#copies.set(skin, (copy = this.#make(skin)));
    const { paint, glow, place } = copy.uniforms as ReturnType<typeof uniformsOf>;
    paint.value.set(skin.color.r, skin.color.g, skin.color.b, skin.opacity);
    if (skin instanceof MeshLambertMaterial) glow.value.copy(skin.emissive).multiplyScalar(skin.emissiveIntensity);
    if (skin.map) place.value.copy(skin.map.matrix);
    return copy;
  }

  #make(skin: Skin): ShaderMaterial {
    const { transparent, depthFunc, depthWrite } = skin;
    // Without blending by name rather than by being opaque: three.js has another shader for what is opaque.
    const blending = transparent ? NormalBlending : NoBlending;
    const uniforms = { ...this.#light, ...uniformsOf(skin) };
    return new ShaderMaterial({ uniforms, vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent, depthFunc, depthWrite, blending });
  }
}

function uniformsOf(skin: Skin) {
  skin.map?.updateMatrix();
  return {
    picture: { value: skin.map ?? (WHITE as Texture) },
    place: { value: new Matrix3() },
    paint: { value: new Vector4() },
    glow: { value: new Color(0) },
    lit: { value: skin instanceof MeshLambertMaterial ? 1 : 0 },
    toned: { value: skin.toneMapped ? 1 : 0 },
  };
}
