import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { commandStatuses } from "@edp/domain/commands/CommandStatus"
import { connectSessionStatuses } from "@edp/domain/connections/ConnectSession"
import { deliveryStatuses } from "@edp/domain/destinations/Delivery"
import { DispatchStatus, participantStates } from "@edp/domain/dispatches/Dispatch"
import { enrollmentStatuses } from "@edp/domain/enrollments/Enrollment"
import { eventTypes } from "@edp/domain/events/EventType"
import { expect, test } from "vitest"
import { filesBelow, readText, root } from "./repository.ts"

const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "CHANGELOG.md",
  ...filesBelow("docs"),
  ...filesBelow("packages")
].filter((path) => path.endsWith(".md"))

test("every relative link in a document leads to a file", () => {
  const broken = documents.flatMap((path) =>
    [...readText(path).matchAll(/\]\((?!https?:|mailto:|#)([^)\s#]+)/g)]
      .map(([, target]) => target!)
      .filter((target) => !existsSync(join(root, dirname(path), target)))
      .map((target) => `${path} -> ${target}`)
  )
  expect(broken).toEqual([])
})

test("docs/events.md says what causes each type of event", () => {
  const rows = [...readText("docs/events.md").matchAll(/^\| `([A-Z_]+)` \| (.+?) \|/gm)]
  expect(rows.map(([, type]) => type).toSorted()).toEqual(eventTypes.toSorted())
})

/** The pages on life cycles, with the statuses that have to be reached and the beginnings of their events. */
const lifeCycles: ReadonlyArray<readonly [slice: string, statuses: ReadonlyArray<string>, events: RegExp]> = [
  ["commands", commandStatuses, /^COMMAND_/],
  ["dispatches", [...DispatchStatus.literals, ...participantStates], /^none$/],
  ["destinations", deliveryStatuses, /^none$/],
  ["connections", connectSessionStatuses, /^CONNECTION_/],
  ["enrollments", enrollmentStatuses, /^ENROLLMENT_/]
]

test.for(lifeCycles)(
  "the page of %s says how each status is reached, and names all of its events",
  ([slice, statuses, own]) => {
    const text = readText(`packages/server/src/${slice}/README.md`)
    const reached = [...text.matchAll(/^\|[^|]*\|([^|]+)\|/gm)].flatMap(([, to]) => to!.match(/\w+/g) ?? [])
    expect(statuses.filter((status) => !reached.includes(status))).toEqual([])
    const named = new Set(text.match(/\b(?:COMMAND|CONNECTION|DEVICE|ENROLLMENT)_[A-Z]+\b/g))
    expect([...named].filter((type) => !(eventTypes as ReadonlyArray<string>).includes(type))).toEqual([])
    expect(eventTypes.filter((type) => own.test(type) && !named.has(type))).toEqual([])
  }
)

const decisions = filesBelow("docs/decisions")

test.for(decisions)("%s has its number, a status, a date, and the reason, the decision and its cost", (path) => {
  const text = readText(path)
  const number = /\/(\d{4})-[a-z0-9-]+\.md$/.exec(path)?.[1]
  expect(text).toMatch(
    new RegExp(
      `^# ${number} .+\n\nStatus: (?:accepted|superseded by \\[\\d{4}\\]\\(.+\\))\\. Date: \\d{4}-\\d\\d-\\d\\d\\.`
    )
  )
  expect([...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual(["Context", "Decision", "Cost"])
})

test("no two decisions have the same number", () => {
  const numbers = decisions.map((path) => /\/(\d{4})-/.exec(path)?.[1])
  expect(new Set(numbers).size).toBe(numbers.length)
})
