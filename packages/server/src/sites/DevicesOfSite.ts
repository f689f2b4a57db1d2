import { Context, type Effect } from "effect"

/**
 * The devices at a site. Devices come later than sites, so they are what provides this: it is the one thing that sites
 * ask of them.
 */
export class DevicesOfSite extends Context.Service<
  DevicesOfSite,
  {
    /** For the transaction that deletes the site: its devices are at none from then on, and are told to have changed. */
    readonly leave: (workspaceId: string, siteId: string) => Effect.Effect<void>
  }
>()("@edp/server/DevicesOfSite") {}
