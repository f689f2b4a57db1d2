import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { messages } from "@edp/dashboard/build/messages"
import { build, defaultServerConditions } from "vite"
import { isFresh, makeManifest, packageFolder } from "./built.ts"

/**
 * Builds the pages, unless the built ones are what the present sources make, into one module without imports, which holds React, the style sheet and the script too. Visitors come with older browsers
 * than operators, so colours for light and dark are written in a form that those know.
 */
if (!isFresh(packageFolder)) {
  // The pages are for production, whatever the process that builds them is for.
  process.env["NODE_ENV"] = "production"
  const folder = await mkdtemp(join(packageFolder, ".build-"))
  const sources = new Set([import.meta.filename, join(packageFolder, "package.json")])
  try {
    await build({
      root: packageFolder,
      configFile: false,
      logLevel: "warn",
      // React checks its use where it is not built for production, and takes several times as long.
      define: { "process.env.NODE_ENV": '"production"' },
      resolve: { dedupe: ["react", "react-dom"] },
      ssr: { noExternal: true, resolve: { conditions: ["@edp/source", ...defaultServerConditions] } },
      build: {
        ssr: "src/render.ts",
        outDir: folder,
        minify: true,
        cssMinify: "lightningcss",
        cssTarget: ["chrome90", "firefox90", "safari14"]
      },
      plugins: [
        messages(),
        {
          name: "sources",
          generateBundle() {
            for (const id of this.getModuleIds()) {
              const [file = ""] = id.split("?")
              if (file.startsWith("/") && !file.includes("/node_modules/")) sources.add(file)
            }
          }
        }
      ]
    })
    await writeFile(join(folder, "build.json"), `${JSON.stringify(makeManifest(packageFolder, [...sources]))}\n`)
    // Two builds at once and an interrupted one do no harm: each file is replaced at once, and the manifest last.
    await mkdir(join(packageFolder, "dist"), { recursive: true })
    for (const name of ["render.js", "build.json"]) await rename(join(folder, name), join(packageFolder, "dist", name))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
