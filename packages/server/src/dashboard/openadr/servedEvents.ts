import { type OpenAdrServer, SHOWN_OBJECTS, type ServedEvent } from "@edp/domain/dashboard/OpenAdrServer"
import { SEGMENTS_LIMIT } from "@edp/domain/grid/GridEvent"
import { eventIntervals, eventUnits, withUnits } from "../../grid/gridRow.ts"
import { governing } from "../../grid/plan/governing.ts"
import type { ServedEventRow, ServedProgramRow } from "./servedRow.ts"

/** Milliseconds that the timeline shows. */
const SHOWN_MS = 86_400_000

const iso = (at: number) => new Date(at).toISOString()

const stateRanks: Readonly<Record<ServedEvent["state"], number>> = {
  governing: 0,
  overruled: 1,
  upcoming: 2,
  untimed: 3
}

type Served = Pick<OpenAdrServer, "events" | "programs" | "timeline">

/** The events of a workspace with their present or next payloads, and which event of each program governs when. */
export const servedEvents = (
  programs: ReadonlyArray<ServedProgramRow>,
  rows: ReadonlyArray<ServedEventRow>,
  now: number
): Served => {
  const programsById = new Map(programs.map((program) => [program.id, program]))
  const timed = rows.map((row) => ({
    row,
    intervals: eventIntervals({ body: row.body, vtnModifiedAt: row.modifiedAt }),
    units: eventUnits(row, programsById.get(row.programId)?.body.payloadDescriptors)
  }))
  const units = new Map(timed.map((each) => [each.row.id, each.units]))
  const segments = [...Map.groupBy(timed, ({ row }) => row.programId)].flatMap(([programId, own]) => {
    const ranked = own.map(({ intervals, row: { createdAt, id, priority } }) => ({
      id,
      priority,
      createdAt: createdAt.getTime(),
      intervals
    }))
    return governing(ranked, now, now + SHOWN_MS).map(({ end, eventId, payloads, start }) => ({
      programId,
      eventId,
      startsAt: iso(start),
      endsAt: iso(end),
      payloads: withUnits(payloads, units.get(eventId)!)
    }))
  })
  const inEffect = new Set(segments.flatMap(({ eventId, startsAt }) => (startsAt === iso(now) ? [eventId] : [])))

  const toServed = ({ intervals, row, units: own }: (typeof timed)[number]): ServedEvent => {
    const present = intervals.find(({ end, start }) => start <= now && (end === null || end > now))
    const next = intervals.find(({ start }) => start > now)
    const starts = intervals.map(({ start }) => start)
    const ends = intervals.map(({ end }) => end ?? Number.POSITIVE_INFINITY)
    const end = Math.max(...ends)
    const inProgress = inEffect.has(row.id) ? "governing" : "overruled"
    return {
      id: row.id,
      programId: row.programId,
      programName: programsById.get(row.programId)?.name ?? row.programId,
      name: row.body.eventName ?? null,
      dispatchId: row.dispatchId,
      priority: row.priority,
      targets: row.targets,
      state: present !== undefined ? inProgress : next === undefined ? "untimed" : "upcoming",
      startsAt: starts.length === 0 ? null : iso(Math.min(...starts)),
      endsAt: Number.isFinite(end) && starts.length > 0 ? iso(end) : null,
      intervalCount: intervals.length,
      payloads: withUnits((present ?? next ?? intervals[0])?.payloads ?? [], own)
    }
  }
  const byState = (one: ServedEvent, other: ServedEvent) =>
    stateRanks[one.state] - stateRanks[other.state] || (one.startsAt ?? "").localeCompare(other.startsAt ?? "")
  return {
    programs: programs.map(({ id, name }) => ({ id, name })),
    timeline: {
      from: iso(now),
      to: iso(now + SHOWN_MS),
      segments: segments
        .toSorted((one, other) => (one.startsAt < other.startsAt ? -1 : one.startsAt > other.startsAt ? 1 : 0))
        .slice(0, SEGMENTS_LIMIT)
    },
    events: timed.map(toServed).toSorted(byState).slice(0, SHOWN_OBJECTS)
  }
}
