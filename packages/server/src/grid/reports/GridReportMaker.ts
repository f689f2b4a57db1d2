import { AGGREGATED_REPORT } from "@edp/domain/openadr/payloadTypes"
import { toDuration } from "@edp/domain/openadr/durations"
import type { ReportRequest, ReportedResource } from "@edp/domain/openadr/OpenAdrObjects"
import { Context, Effect, Layer } from "effect"
import { readCommandDevices } from "../../commands/issuing/CommandTargets.ts"
import { Dispatches } from "../../dispatches/Dispatches.ts"
import { DispatchReports } from "../../dispatches/reports/DispatchReports.ts"
import { SiteUse } from "../../dispatches/reports/SiteUse.ts"
import { EnrolledSites } from "../../enrollments/enrolled-sites/EnrolledSites.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { gridLimits } from "../gridLimits.ts"
import { GridObjectsRepository } from "../GridObjectsRepository.ts"
import type { ConnectionRow, EventRow, ReportRow, ReportedInterval } from "../gridRow.ts"
import { baselineValue } from "./baselineValue.ts"
import {
  type ReportableType,
  type ReportedValue,
  isReportable,
  operatingState,
  payloadDescriptors,
  reportable,
  storageValue,
  sumValue,
  toPayloads,
  useValue
} from "./reportValues.ts"

/** The values of a resource, one for each interval. */
interface ResourceValues {
  readonly resourceName: string
  readonly intervals: ReadonlyArray<ReportedInterval>
  readonly values: ReadonlyArray<ReportedValue>
}

interface Question {
  readonly report: ReportRow
  readonly event: EventRow
  readonly workspaceId: string
  readonly programInstanceId: string
  readonly siteIds: ReadonlyArray<string>
}

const missing: ReportedValue = { value: undefined, quality: "OK" }

const toResource = (type: ReportableType, { intervals, resourceName, values }: ResourceValues): ReportedResource => ({
  resourceName,
  intervals: intervals.map(({ end, id, start }, index) => ({
    id,
    intervalPeriod: {
      start: new Date(start).toISOString(),
      duration: toDuration(Math.round((end - start) / 1000))
    },
    payloads: toPayloads(type, values[index] ?? missing)
  }))
})

/** The share of values that are known, percent. */
const measuredShare = (resources: ReadonlyArray<ResourceValues>) => {
  const values = resources.flatMap(({ values: each }) => each)
  return values.length === 0
    ? 0
    : Math.round(
        (100 * values.filter(({ quality, value }) => value !== undefined && quality !== "BAD").length) / values.length
      )
}

/** Makes reports from what the platform has measured at the sites that are enrolled. */
export class GridReportMaker extends Context.Service<
  GridReportMaker,
  {
    /** The report of a row; why there is none where the platform can't make it. */
    readonly make: (
      connection: ConnectionRow,
      event: EventRow,
      programInstanceId: string,
      report: ReportRow
    ) => Effect.Effect<ReportRequest | string, DatabaseUnavailable>
  }
>()("@edp/server/grid/GridReportMaker") {
  static readonly layer = Layer.effect(
    GridReportMaker,
    Effect.gen(function* () {
      const objects = yield* GridObjectsRepository
      const enrolled = yield* EnrolledSites
      const dispatches = yield* Dispatches
      const dispatchReports = yield* DispatchReports
      const siteUse = yield* SiteUse
      const readDevices = yield* readCommandDevices

      const isSum = ({ report }: Question) => report.descriptor.aggregate === true

      const readUse = Effect.fnUntraced(function* (type: "USAGE" | "DEMAND", question: Question) {
        const { report, siteIds, workspaceId } = question
        const { intervals } = report
        const spans = intervals.map(({ end, start }) => ({ from: start, to: end }))
        const uses = yield* siteUse.read(workspaceId, siteIds, spans)
        const lengths = spans.map(({ from, to }) => to - from)
        if (isSum(question)) {
          const values = intervals.map((_, at) =>
            sumValue(
              type,
              siteIds.map((siteId) => uses.get(siteId)![at]!),
              lengths[at]!
            )
          )
          return [{ resourceName: AGGREGATED_REPORT, intervals, values }]
        }
        return siteIds.map((siteId) => ({
          resourceName: siteId,
          intervals,
          values: uses.get(siteId)!.map((use, at) => useValue(type, use, lengths[at]!))
        }))
      })

      /** The baseline of all sites together: refused otherwise. */
      const readBaseline = Effect.fnUntraced(function* (question: Question) {
        const { event, report, workspaceId } = question
        const links = yield* objects.dispatchesOfEvent(event.id)
        const found = yield* Effect.forEach(links, ({ dispatchId }) =>
          Effect.catchTag(dispatchReports.read({ workspaceId }, dispatchId, { perPage: 1 }), "NOT_FOUND", () =>
            Effect.succeed(undefined)
          )
        )
        const reports = found.flatMap((each) => each ?? [])
        return (yield* readUse("USAGE", question)).map((resource) => ({
          ...resource,
          values: report.intervals.map(({ end, start }, at) =>
            baselineValue(resource.values[at]!, { from: start, to: end }, reports)
          )
        }))
      })

      const readStates = Effect.fnUntraced(function* (question: Question) {
        const { event, report, siteIds } = question
        const followed = yield* Effect.forEach(
          yield* objects.dispatchesOfEvent(event.id),
          ({ dispatchId, intervals: planned }) =>
            Effect.map(dispatches.sites(dispatchId), (sites) => ({
              planned,
              states: new Map(sites.map(({ siteId, state }) => [siteId, state]))
            }))
        )
        /** The state by what devices were to do in the interval: none of it is normal operation. */
        const stateAt = (siteId: string, { end, start }: ReportedInterval) => {
          const found = followed.flatMap(({ planned, states }) => {
            const directives = planned
              .filter((each) => each.start < end && start < each.end)
              .map(({ directive }) => directive)
            const state = states.get(siteId)
            return directives.length === 0 || state === undefined ? [] : operatingState(state, directives)
          })
          return found.at(-1) ?? "NORMAL"
        }
        const { intervals } = report
        const resource = (resourceName: string, find: (interval: ReportedInterval) => string): ResourceValues => ({
          resourceName,
          intervals,
          values: intervals.map((interval) => ({ value: find(interval), quality: "OK" }))
        })
        if (!isSum(question)) {
          return siteIds.map((siteId) => resource(siteId, (interval) => stateAt(siteId, interval)))
        }
        // The worst state of the resources stands for all of them.
        const order = ["ERROR", "RUNNING_CURTAILED", "RUNNING_HEIGHTENED", "RUNNING_OPTED_OUT", "NORMAL"]
        const worst = (interval: ReportedInterval) => {
          const all = new Set(siteIds.map((siteId) => stateAt(siteId, interval)))
          return order.find((state) => all.has(state)) ?? "NORMAL"
        }
        return [resource(AGGREGATED_REPORT, worst)]
      })

      /** The newest readings are those of the last interval. */
      const readStorage = Effect.fnUntraced(function* (
        type: Extract<ReportableType, `STORAGE_${string}`>,
        question: Question
      ) {
        const { programInstanceId, report, siteIds, workspaceId } = question
        const sites = yield* enrolled.at(workspaceId, programInstanceId, new Date(report.startsAt))
        const batteries = (yield* enrolled.devices(workspaceId, sites)).filter((device) => device.type === "battery")
        const known = new Map(
          (yield* readDevices(batteries.map(({ deviceId }) => deviceId))).map((device) => [device.id, device])
        )
        const bySite = Map.groupBy(batteries, ({ siteId }) => siteId)
        const intervals = report.intervals.slice(-1)
        const valueAt = (some: ReadonlyArray<string>) =>
          storageValue(
            type,
            some.flatMap((siteId) =>
              (bySite.get(siteId) ?? []).map(({ deviceId }) => ({
                state: { ...known.get(deviceId)?.state },
                staticState: { ...known.get(deviceId)?.staticState }
              }))
            )
          )
        if (isSum(question)) return [{ resourceName: AGGREGATED_REPORT, intervals, values: [valueAt(siteIds)] }]
        return siteIds.map((siteId) => ({ resourceName: siteId, intervals, values: [valueAt([siteId])] }))
      })

      const readResources = (
        type: ReportableType,
        question: Question
      ): Effect.Effect<ReadonlyArray<ResourceValues>, DatabaseUnavailable> => {
        if (type === "USAGE" || type === "DEMAND") return readUse(type, question)
        if (type === "BASELINE") return readBaseline(question)
        if (type === "OPERATING_STATE") return readStates(question)
        return readStorage(type, question)
      }

      return {
        make: Effect.fn("GridReportMaker.make")(function* (connection, event, programInstanceId, report) {
          const type = report.descriptor.payloadType
          if (!isReportable(type)) return `The platform does not measure ${type}`
          const { workspaceId } = connection
          const sites = yield* enrolled.at(workspaceId, programInstanceId, report.startsAt)
          if (sites.length === 0) return "No site was enrolled"
          const siteIds = sites.map(({ siteId }) => siteId)
          if (report.descriptor.aggregate !== true && siteIds.length > gridLimits.reportedSites) {
            return `${siteIds.length} sites are too many for a report by resource: ask for aggregate true`
          }
          const resources = yield* readResources(type, { report, event, workspaceId, programInstanceId, siteIds })
          const hasConfidence = reportable[type].needs === "use" || reportable[type].needs === "storage"
          return {
            eventID: event.vtnEventId,
            clientName: connection.venName,
            reportName: report.id,
            payloadDescriptors: payloadDescriptors(type, hasConfidence ? measuredShare(resources) : undefined),
            resources: resources.map((resource) => toResource(type, resource))
          }
        })
      }
    })
  )
}
