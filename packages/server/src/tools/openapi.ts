import { readFile, writeFile } from "node:fs/promises"
import { Api } from "@edp/domain/Api"
import { Console, Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { renderReference } from "./reference/renderReference.ts"

/** Where two texts part, as a hint for people: the line, and what stands there in each. */
const firstDifference = (found: string, expected: string): string => {
  const [before, after] = [found.split("\n"), expected.split("\n")]
  const index = after.findIndex((line, at) => line !== before[at])
  const at = index === -1 ? after.length : index
  return [`line ${at + 1}:`, `- ${before[at] ?? "(the file ends)"}`, `+ ${after[at] ?? "(the file ends)"}`].join("\n")
}

const root = new URL("../../../..", import.meta.url)

/** What the contract says that the committed files must hold: the document, and the reference made of it. */
const generate = () => {
  const document = OpenApi.fromApi(Api)
  return [
    ["packages/domain/openapi.json", `${JSON.stringify(document, null, 2)}\n`],
    ["packages/server/src/app/docs/reference.html", renderReference(document)]
  ] as const
}

const write = Effect.forEach(generate(), ([path, text]) =>
  Effect.promise(() => writeFile(new URL(path, root), text)).pipe(Effect.andThen(Console.log(`Wrote ${path}`)))
)

const committed = (path: string) =>
  Effect.tryPromise(() => readFile(new URL(path, root), "utf8")).pipe(Effect.orElseSucceed(() => ""))

const check = Effect.forEach(generate(), ([path, expected]) =>
  Effect.gen(function* () {
    const found = yield* committed(path)
    if (found === expected) return
    process.exitCode = 1
    yield* Console.error(`${path} differs from the contract: run \`pnpm openapi\` and commit it.`)
    yield* Console.error(firstDifference(found, expected))
  })
)

const usage = Effect.sync(() => {
  process.exitCode = 1
}).pipe(Effect.andThen(Console.error("Usage: openapi.ts --write | --check")))

const mode = process.argv[2]
await Effect.runPromise<unknown, never>(mode === "--write" ? write : mode === "--check" ? check : usage)
