import type { Messages } from "../i18n/messages.ts"
import type { IconName } from "../kit/Icon.tsx"

type Name = keyof Messages["app"] & string

export interface PageEntry {
  readonly to: string
  readonly name: Name
  readonly icon: IconName
  /** The key that opens the page after `g`. */
  readonly letter: string
}

/** The pages of the navigation. */
export const pageGroups: ReadonlyArray<{ readonly name: Name; readonly entries: ReadonlyArray<PageEntry> }> = [
  {
    name: "groupFleet",
    entries: [
      { to: "/", name: "overview", icon: "bolt", letter: "o" },
      { to: "/dashboard/fleet", name: "fleet", icon: "fleet", letter: "f" },
      { to: "/dashboard/sites", name: "sites", icon: "home", letter: "s" },
      { to: "/dashboard/customers", name: "customers", icon: "people", letter: "c" },
      { to: "/dashboard/collections", name: "collections", icon: "filter", letter: "b" },
      { to: "/dashboard/energy", name: "energy", icon: "chart", letter: "e" },
      { to: "/dashboard/alerts", name: "alerts", icon: "bell", letter: "a" }
    ]
  },
  {
    name: "groupOperate",
    entries: [
      { to: "/dashboard/programs", name: "programs", icon: "program", letter: "p" },
      { to: "/dashboard/grid-connections", name: "gridConnections", icon: "pylon", letter: "i" },
      { to: "/dashboard/openadr", name: "openAdr", icon: "broadcast", letter: "x" },
      { to: "/dashboard/dispatches", name: "dispatches", icon: "dispatch", letter: "d" },
      { to: "/dashboard/commands", name: "commands", icon: "battery", letter: "m" },
      { to: "/dashboard/schedules", name: "schedules", icon: "refresh", letter: "r" }
    ]
  },
  {
    name: "groupIntegrate",
    entries: [
      { to: "/dashboard/connections", name: "connections", icon: "plug", letter: "n" },
      { to: "/dashboard/events", name: "events", icon: "clock", letter: "v" },
      { to: "/dashboard/destinations", name: "destinations", icon: "send", letter: "t" }
    ]
  },
  {
    name: "groupAdminister",
    entries: [
      { to: "/dashboard/keys", name: "keys", icon: "key", letter: "k" },
      { to: "/dashboard/settings", name: "workspaceSettings", icon: "pen", letter: "w" },
      { to: "/dashboard/audit", name: "audit", icon: "info", letter: "l" },
      { to: "/dashboard/health", name: "health", icon: "health", letter: "h" },
      { to: "/dashboard/account", name: "account", icon: "person", letter: "u" }
    ]
  }
]

export const pageEntries = pageGroups.flatMap(({ entries }) => entries)
