import { Context, Effect, Layer } from "effect"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { type EnrolledDevice, type EnrolledSite, EnrolledSitesRepository } from "./EnrolledSitesRepository.ts"

export type { EnrolledDevice, EnrolledSite }

/** The sites that take part in program instances, and their devices. */
export class EnrolledSites extends Context.Service<
  EnrolledSites,
  {
    /**
     * The sites whose enrollments are approved, and were approved and active at the time. Each site has one row, of its oldest
     * enrollment.
     */
    readonly at: (
      workspaceId: string,
      programInstanceId: string,
      at: Date
    ) => Effect.Effect<ReadonlyArray<EnrolledSite>, DatabaseUnavailable>
    /** The devices that the sites have connected, of the manufacturers of their enrollments. */
    readonly devices: (
      workspaceId: string,
      sites: ReadonlyArray<EnrolledSite>
    ) => Effect.Effect<ReadonlyArray<EnrolledDevice>, DatabaseUnavailable>
  }
>()("@edp/server/EnrolledSites") {
  static readonly layer = Layer.effect(
    EnrolledSites,
    Effect.gen(function* () {
      const repository = yield* EnrolledSitesRepository

      return {
        at: Effect.fn("EnrolledSites.at")(repository.at),
        devices: Effect.fn("EnrolledSites.devices")(function* (workspaceId, sites) {
          if (sites.length === 0) return []
          const slugs = new Map(sites.map(({ manufacturerSlugs, siteId }) => [siteId, manufacturerSlugs]))
          const devices = yield* repository.devices(workspaceId, [...slugs.keys()])
          return devices.filter(({ manufacturer, siteId }) => slugs.get(siteId)?.includes(manufacturer) ?? true)
        })
      }
    })
  )
}
