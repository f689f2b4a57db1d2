import { Effect, FileSystem, Option, Path } from "effect"
import type { Profile } from "../../kernel/Profile.ts"

/** The result of a check, with advice where something is wrong. */
export interface Check {
  readonly name: string
  readonly status: "ok" | "warning" | "failed"
  readonly message: string
  readonly advice?: string
}

export const ok = (name: string, message: string): Check => ({ name, status: "ok", message })
export const warning = (name: string, message: string, advice: string): Check => ({
  name,
  status: "warning",
  message,
  advice
})
export const failed = (name: string, message: string, advice: string): Check => ({
  name,
  status: "failed",
  message,
  advice
})

/** The same as in the package's `engines`. */
const OLDEST_NODE = 20

export const checkNode = (version: string): Check =>
  Number.parseInt(version, 10) >= OLDEST_NODE
    ? ok("Node.js", version)
    : failed(
        "Node.js",
        `${version} is older than ${OLDEST_NODE}`,
        "Install a newer one, or run the tool in a clone with `npx -y pnpm@12 edp`, which brings its own."
      )

const octal = (mode: number) => (mode & 0o777).toString(8).padStart(3, "0")

const checkMode = Effect.fnUntraced(function* (path: string, name: string, forbidden: number, mode: string) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* Effect.option(fs.stat(path))
  if (Option.isNone(info)) return failed(name, `${path} can't be read`, "Make it readable for your user.")
  return (info.value.mode & forbidden) === 0
    ? ok(name, `${path} (${octal(info.value.mode)})`)
    : failed(name, `${path} is open to other users (${octal(info.value.mode)})`, `chmod ${mode} ${path}`)
})

/** Only the owner may read the credentials file or replace it. */
export const checkFiles = Effect.fnUntraced(function* ({ file, keys, store }: Profile) {
  const paths = yield* Path.Path
  if (Option.isNone(file)) {
    const sources = [...keys.values()].map(({ source }) => source)
    if (sources.length > 0) return [ok("credentials", `from ${sources.join(", ")}`)]
    return [
      failed(
        "credentials",
        `There is no ${store}`,
        "Start the service once (npx -y pnpm@12 start), name its data folder with --data-dir, or set EDP_URL and EDP_KEY_MANAGEMENT."
      )
    ]
  }
  return [
    yield* checkMode(file.value, "credentials", 0o077, "600"),
    yield* checkMode(paths.dirname(file.value), "data folder", 0o022, "go-w")
  ]
})
