import { describe, expect, it } from "vitest"
import { filesBelow, readText } from "./repository.ts"

/** Files besides `platform/sql` that look into causes, with what they look for: never an unavailable database. */
const exceptions: Readonly<Record<string, string>> = {
  "accounts/calls/AccountCalls.ts": "an exception in the code of an adapter",
  "app/InboundConnections.ts": "an exception in the code of an adapter",
  "app/middleware/IdempotencyLive.ts": "the error of a response, whatever it is",
  "app/middleware/RequestBodyLive.ts": "the problems of a schema",
  "app/middleware/boundary.ts": "the response to anything that a route did not respond to itself",
  "connections/linking/AccountLinking.ts": "an exception in the code of an adapter",
  "destinations/senders/Senders.ts": "an exception in the code of a sender",
  "platform/idempotency/IdempotentResponses.ts": "a run that must not commit, because another one took its claim",
  "platform/jobs/isolation.ts": "the text of a failure that is stored",
  "program.ts": "the message of a start that failed",
  "readings/ingest/telemetryChecks.ts": "the error of a check",
  "vtn/VtnHandlers.ts": "the response of the OpenADR server to any failure"
}

const searches =
  /\bisDieReason\b|\bisFailReason\b|\bcause\.reasons\b|\bCause\.(?:squash|find[A-Z]\w*|hasDies|hasFails)\b|\bcatch(?:Defect|CauseIf|CauseFilter)\b/

const findSearching = (files: ReadonlyArray<{ readonly path: string; readonly text: string }>) =>
  files.filter(({ text }) => searches.test(text)).map(({ path }) => path)

const root = "packages/server/src/"
const sources = filesBelow("packages/server/src")
  .filter((path) => path.endsWith(".ts") && !path.startsWith(`${root}platform/sql/`))
  .map((path) => ({ path: path.slice(root.length), text: readText(path) }))

describe("an unavailable database", () => {
  it("is handled as a failure: only files that are listed with a reason look into causes", () => {
    expect(findSearching(sources).toSorted()).toEqual(Object.keys(exceptions).toSorted())
  })

  it("dies nowhere outside `platform/sql`", () => {
    const dying = /\bdie\(\s*new (?:ServiceUnavailable|DatabaseUnavailable)\b/
    expect(sources.filter(({ text }) => dying.test(text)).map(({ path }) => path)).toEqual([])
  })

  it.each([
    "cause.reasons.some(Cause.isDieReason)",
    "Cause.squash(cause) instanceof ServiceUnavailable",
    "Effect.catchDefect(DatabaseUnavailable.is, wait)",
    "Cause.findErrorOption(cause)"
  ])("is found where code searches a cause: %s", (text) => {
    expect(findSearching([{ path: "file.ts", text }])).toEqual(["file.ts"])
  })
})
