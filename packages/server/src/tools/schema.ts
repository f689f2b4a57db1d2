import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import * as EmbeddedDatabase from "../platform/embedded/EmbeddedDatabase.ts"
import * as Migrations from "../platform/sql/Migrations.ts"
import { writeOrCheck } from "./generatedFile.ts"
import { describeSchema } from "./schemaText.ts"

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "edp-schema-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true, maxRetries: 3 }))
)

/** The schema of a new embedded database after all migrations. */
const schema = Effect.scoped(
  Effect.flatMap(folder, (dataDir) =>
    Migrations.run.pipe(Effect.andThen(describeSchema), Effect.provide(EmbeddedDatabase.layer({ dataDir })))
  )
).pipe(Effect.orDie)

await Effect.runPromise(
  writeOrCheck({ path: "packages/server/schema.sql", source: "the migrations", command: "pnpm schema" }, schema)
)
