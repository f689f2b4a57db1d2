import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"

/** Files in a folder of their own, which goes when they were used. */
export const withFiles = <A, E, R>(
  files: Readonly<Record<string, string>>,
  use: (paths: ReadonlyArray<string>) => Effect.Effect<A, E, R>
) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "edp-import-"))),
    (folder) => {
      const names = Object.keys(files)
      for (const name of names) writeFileSync(join(folder, name), files[name] ?? "")
      return use(names.map((name) => join(folder, name)))
    },
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )
