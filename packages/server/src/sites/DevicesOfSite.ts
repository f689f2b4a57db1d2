import type { Site } from "@edp/domain/sites/Site"
import { Context, type Effect } from "effect"
import type { SiteChange } from "./siteChange.ts"

/**
 * The devices at a site. Devices come later than sites, so they are what provides this: it is the one thing that sites
 * ask of them.
 */
export class DevicesOfSite extends Context.Service<
  DevicesOfSite,
  {
    /** For the transaction that deletes the site: its devices are at none from then on, and are told to have changed. */
    readonly leave: (workspaceId: string, siteId: string) => Effect.Effect<void>
    /**
     * For the transaction that changes the site, given as it is since: its devices are told to have changed. Of more than a
     * few hundred the others follow in the background, some at a time, which the transaction makes sure of.
     */
    readonly tell: (site: Site, change: SiteChange) => Effect.Effect<void>
  }
>()("@edp/server/DevicesOfSite") {}
