import { readFile } from "node:fs/promises"
import { initWasm, Resvg } from "@resvg/resvg-wasm"

/** Pixels per unit of the drawing. */
const ZOOM = 2

const fontFiles = ["400Regular/Inter_400Regular.ttf", "600SemiBold/Inter_600SemiBold.ttf"]

/** In the package these files are beside the compiled code. */
const isCompiled = import.meta.url.endsWith(".js")
const resolveAsset = (name: string) =>
  new URL(isCompiled ? `./${name.split("/").at(-1)}` : import.meta.resolve(name), import.meta.url)

const readAsset = async (name: string) => new Uint8Array(await readFile(resolveAsset(name)))

let ready: Promise<ReadonlyArray<Uint8Array>> | undefined

const prepare = async () => {
  await initWasm(await readAsset("@resvg/resvg-wasm/index_bg.wasm"))
  return Promise.all(fontFiles.map((name) => readAsset(`@expo-google-fonts/inter/${name}`)))
}

/** Renders SVG as PNG, with the same font on every machine. */
export const renderPng = async (svg: string): Promise<Uint8Array> => {
  ready ??= prepare()
  const fontBuffers = [...(await ready)]
  const drawing = new Resvg(svg, {
    fitTo: { mode: "zoom", value: ZOOM },
    font: { fontBuffers, defaultFontFamily: "Inter", sansSerifFamily: "Inter" }
  })
  const image = drawing.render()
  const png = image.asPng()
  image.free()
  drawing.free()
  return png
}
