import { markedHours, timelineRows } from "@edp/dashboard/pages/grid/connection/timelineRows"
import { expect, test } from "vitest"

const from = "2026-07-15T00:30:00.000Z"
const to = "2026-07-16T00:30:00.000Z"
const segment = (programId: string, startsAt: string, endsAt: string | null) => ({
  programId,
  eventId: "event",
  startsAt,
  endsAt,
  payloads: []
})

test("each program has a row, and a segment without an end lasts until the end of the row", () => {
  const present = segment("one", from, "2026-07-15T12:30:00.000Z")
  const endless = segment("two", "2026-07-15T18:30:00.000Z", null)
  expect(timelineRows({ from, to, segments: [present, endless] })).toEqual([
    { programId: "one", present, bands: [{ segment: present, left: 0, width: 0.5 }] },
    { programId: "two", present: undefined, bands: [{ segment: endless, left: 0.75, width: 0.25 }] }
  ])
})

test("every sixth hour of the local time is marked, also where the time zone is no whole hour away", () => {
  const hourIn = (offset: number) => (time: number) => (time / 3_600_000 + offset + 24) % 24
  const marks = markedHours({ from, to }, hourIn(5.75)).map(({ time }) => new Date(time).toISOString().slice(11, 16))
  expect(marks).toEqual(["06:15", "12:15", "18:15", "00:15"])
  expect(markedHours({ from, to }, hourIn(0)).map(({ left }) => left * 24)).toEqual([5.5, 11.5, 17.5, 23.5])
})
