import { chmod, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { brotliCompress, constants } from "node:zlib"
import { build } from "vite"
import { builtDigest, builtFolder, packageFolder, sourceDigest } from "./sourceDigest.ts"

const replaceFolder = async (folder: string, by: string) => {
  const old = `${by}.old`
  await rename(folder, old).catch((error) => {
    if (error.code !== "ENOENT") throw error
  })
  await rename(by, folder)
  await rm(old, { recursive: true, force: true })
}

const brotli = promisify(brotliCompress)

/** Writes each file compressed beside it. The greatest compression takes seconds, which no request should wait for. */
const compressFiles = async (folder: string) => {
  const names = await readdir(folder)
  await Promise.all(
    names.map(async (name) => {
      const content = await readFile(join(folder, name))
      const compressed = await brotli(content, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
          [constants.BROTLI_PARAM_SIZE_HINT]: content.length
        }
      })
      await writeFile(join(folder, `${name}.br`), compressed)
    })
  )
}

/**
 * Builds the page into `dist`, unless that holds what the present sources make. The files appear together at the end, so that two
 * builds at once and an interrupted one do no harm.
 */
const digest = await sourceDigest()
if (builtDigest() !== digest) {
  // The page is for production, whatever the process that builds it is for.
  process.env["NODE_ENV"] = "production"
  const folder = await mkdtemp(join(packageFolder, ".build-"))
  try {
    await build({ root: packageFolder, logLevel: "warn", build: { outDir: folder, emptyOutDir: true } })
    await compressFiles(join(folder, "assets"))
    // Temporary folders are their owner's alone. The account that runs the service is often another one than that which installs it.
    await chmod(folder, 0o755)
    await writeFile(join(folder, "build.json"), `${JSON.stringify({ digest })}\n`)
    await replaceFolder(builtFolder, folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
