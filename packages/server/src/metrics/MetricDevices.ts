import {
  CollectionNotFound,
  CustomerNotFound,
  DeviceNotFound,
  SiteNotFound,
  invalid
} from "@edp/domain/errors/ApiErrors"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { bySite, MAX_DEVICES, type MetricQuery } from "@edp/domain/metrics/MetricQuery"
import { isSameTimezone } from "@edp/domain/shared/Timezone"
import { Clock, Effect } from "effect"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { MetricsRepository } from "./MetricsRepository.ts"

export type NotFound = DeviceNotFound | SiteNotFound | CustomerNotFound | CollectionNotFound

const distinct = <A>(values: ReadonlyArray<A> | undefined) => values && [...new Set(values)]

const tooMany = (most: number) =>
  invalid({
    deviceId: `Selects more than ${most.toLocaleString("en")} devices: ask for fewer, by siteId, customerId, collectionId or tag`
  })

/** Selects the devices and the time zone of a query. */
export const MetricDevices = Effect.gen(function* () {
  const repository = yield* MetricsRepository

  const require = <E>(
    table: Parameters<typeof repository.count>[0],
    workspaceId: string,
    ids: ReadonlyArray<string> | undefined,
    missing: () => E
  ): Effect.Effect<void, E | DatabaseUnavailable> =>
    ids === undefined
      ? Effect.void
      : Effect.flatMap(repository.count(table, workspaceId, ids), (found) =>
          found === ids.length ? Effect.void : Effect.fail(missing())
        )

  const findCollections = Effect.fnUntraced(function* (workspaceId: string, ids: ReadonlyArray<string> | undefined) {
    if (ids === undefined) return undefined
    const found = yield* repository.collections(workspaceId, ids)
    return found.length === ids.length ? found : yield* new CollectionNotFound({})
  })

  return {
    /** The selected devices of these types. Every resource that the query names must exist. */
    select: Effect.fn("MetricDevices.select")(function* (
      workspaceId: string,
      query: MetricQuery,
      types: ReadonlyArray<DeviceType>
    ) {
      const [deviceIds, siteIds] = [distinct(query.deviceId), distinct(query.siteId)]
      const customerIds = distinct(query.customerId)
      yield* require("devices", workspaceId, deviceIds, () => new DeviceNotFound({}))
      yield* require("sites", workspaceId, siteIds, () => new SiteNotFound({}))
      yield* require("customers", workspaceId, customerIds, () => new CustomerNotFound({}))
      const collections = yield* findCollections(workspaceId, distinct(query.collectionId))
      const asked = types.filter((type) => query.deviceType === undefined || query.deviceType.includes(type))
      if (asked.length === 0) return []
      const selection = { workspaceId, types: asked, deviceIds, siteIds, customerIds, collections, tags: query.tag }
      const now = new Date(yield* Clock.currentTimeMillis)
      const most = query.groupBy === "site" ? bySite.devices : MAX_DEVICES
      const parts = yield* repository.parts(selection, now, most + 1)
      return parts.reduce((sum, { devices }) => sum + devices, 0) > most ? yield* tooMany(most) : parts
    }),
    timezone: Effect.fn("MetricDevices.timezone")(function* (
      workspaceId: string,
      query: MetricQuery,
      /** The sites of the selected devices. */
      siteIds: () => ReadonlySet<string>
    ) {
      if (query.timezone !== undefined) return query.timezone
      const { customerId, deviceId, siteId } = query
      const isSiteSelection = customerId !== undefined || deviceId !== undefined || siteId !== undefined
      const sites = new Set(isSiteSelection ? [...(siteId ?? []), ...siteIds()] : [])
      if (sites.size === 0) return yield* repository.timezone(workspaceId)
      const [timezone, ...others] = yield* repository.timezones(workspaceId, [...sites])
      const isCommon = timezone !== undefined && others.every((other) => isSameTimezone(timezone, other))
      return isCommon ? timezone : yield* repository.timezone(workspaceId)
    })
  }
})
