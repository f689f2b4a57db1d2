import { readFile, writeFile } from "node:fs/promises"
import { Api } from "@edp/domain/Api"
import { Console, Effect } from "effect"
import { OpenApi } from "effect/http-api"

const PATH = "packages/domain/openapi.json"
const file = new URL(`../../../../${PATH}`, import.meta.url)

/** The OpenAPI document of the contract, as it is committed. */
const document = `${JSON.stringify(OpenApi.fromApi(Api), null, 2)}\n`

const write = Effect.promise(() => writeFile(file, document)).pipe(Effect.andThen(Console.log(`Wrote ${PATH}`)))

/** The first line in which two texts differ. */
const firstDifference = (found: string, expected: string) => {
  const [before, after] = [found.split("\n"), expected.split("\n")]
  const index = after.findIndex((line, at) => line !== before[at])
  const at = index === -1 ? after.length : index
  return [`line ${at + 1}:`, `- ${before[at] ?? "(the file ends)"}`, `+ ${after[at] ?? "(the file ends)"}`].join("\n")
}

const check = Effect.gen(function* () {
  const found = yield* Effect.tryPromise(() => readFile(file, "utf8")).pipe(Effect.orElseSucceed(() => ""))
  if (found === document) return
  process.exitCode = 1
  yield* Console.error(`${PATH} differs from the contract: run \`pnpm openapi\` and commit it.`)
  yield* Console.error(firstDifference(found, document))
})

const usage = Effect.sync(() => {
  process.exitCode = 1
}).pipe(Effect.andThen(Console.error("Usage: openapi.ts --write | --check")))

const mode = process.argv[2]
await Effect.runPromise(mode === "--write" ? write : mode === "--check" ? check : usage)
