import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { defineConfig, type Plugin } from "rolldown"

const require = createRequire(import.meta.url)
const read = (path: string | URL) => readFileSync(path)
const here = (path: string) => new URL(path, import.meta.url)

interface Manifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly type: string
  readonly engines: object
  readonly bin: object
  readonly repository?: string | { readonly url: string }
  readonly homepage?: string
}

const readManifest = (path: string | URL) => JSON.parse(read(path).toString("utf8")) as Manifest

/** Assets that charts read. */
const assets = [
  "@resvg/resvg-wasm/index_bg.wasm",
  "@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf",
  "@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf"
]

/** The folder of the package that a file is of, its name included; undefined for our own files. */
const packageFolder = (path: string) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+\//u.exec(path)?.[0]

const licenceNames = ["LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE", "license", "LICENSE_FONT", "NOTICE"]

const makeNotice = (folder: string) => {
  const { homepage, license, name, repository, version } = readManifest(`${folder}package.json`)
  const source = typeof repository === "object" ? repository.url : (repository ?? homepage ?? "")
  const texts = licenceNames.flatMap((file) => {
    try {
      return [
        read(folder + file)
          .toString("utf8")
          .trim()
      ]
    } catch {
      return []
    }
  })
  return [`## ${name} ${version}`, `Licence: ${license}. Source: ${source}`, ...texts].join("\n\n")
}

/** Makes the output a package that needs no other: manifest, command, licences and what charts read. */
const packaged: Plugin = {
  name: "packaged",
  generateBundle(_, bundle) {
    const emit = (fileName: string, source: string | Uint8Array) => this.emitFile({ type: "asset", fileName, source })
    const files = assets.map((name) => require.resolve(name))
    for (const path of files) emit(`lib/${path.split("/").at(-1)}`, read(path))
    const modules = Object.values(bundle).flatMap((chunk) => (chunk.type === "chunk" ? Object.keys(chunk.modules) : []))
    const folders = new Set([...modules, ...files].flatMap((path) => packageFolder(path) ?? []))
    emit(
      "THIRD-PARTY.md",
      ["# Software of others in this package", ...[...folders].toSorted().map(makeNotice)].join("\n\n") + "\n"
    )
    const { bin, description, engines, license, name, type, version } = readManifest(here("package.json"))
    const manifest = { name, version, description, license, type, bin, engines }
    emit("package.json", `${JSON.stringify(manifest, null, 2)}\n`)
    emit("bin/edp.js", read(here("bin/edp.js")))
    emit("LICENSE", read(here("../../LICENSE")))
    emit("README.md", read(here("README.md")))
  }
}

export default defineConfig({
  input: { main: "src/main.ts" },
  platform: "node",
  resolve: { conditionNames: ["@edp/source", "node", "import", "default"] },
  transform: { target: "node20" },
  plugins: [packaged],
  output: {
    dir: "dist",
    cleanDir: true,
    format: "esm",
    minify: true,
    entryFileNames: "lib/[name].js",
    chunkFileNames: "lib/[name]-[hash].js"
  }
})
