import type { ObjectType } from "@edp/domain/openadr/OpenAdrObjects"

/** The filters of lists, by the names of their query parameters. */
export interface ObjectFilters {
  readonly programID?: string
  readonly eventID?: string
  readonly clientName?: string
  readonly venName?: string
  readonly venID?: string
  readonly resourceName?: string
  readonly objects?: ReadonlyArray<string>
  readonly targets?: ReadonlyArray<string>
  readonly active?: boolean
}

/** The window of a list. */
export interface ObjectPage {
  readonly skip: number
  readonly limit: number
}

export interface Kind {
  readonly objectType: ObjectType
  /** The name of an object in sentences. */
  readonly noun: string
  readonly table: string
  /** The scope that writes it. */
  readonly scope: string
  /** The rule on the objects that a VEN sees: the targets that it was granted, or whose they are. Business logic sees all. */
  readonly privacy: "targets" | "owner"
  readonly hasTargets: boolean
  readonly filters: ReadonlyArray<keyof ObjectFilters>
}

/** The six objects of OpenADR by their paths. */
export const kinds = {
  programs: {
    objectType: "PROGRAM",
    noun: "program",
    table: "vtn_programs",
    scope: "write_programs",
    privacy: "targets",
    hasTargets: true,
    filters: ["targets"]
  },
  events: {
    objectType: "EVENT",
    noun: "event",
    table: "vtn_events",
    scope: "write_events",
    privacy: "targets",
    hasTargets: true,
    filters: ["programID", "targets", "active"]
  },
  reports: {
    objectType: "REPORT",
    noun: "report",
    table: "vtn_reports",
    scope: "write_reports",
    privacy: "owner",
    hasTargets: false,
    filters: ["programID", "eventID", "clientName"]
  },
  subscriptions: {
    objectType: "SUBSCRIPTION",
    noun: "subscription",
    table: "vtn_subscriptions",
    scope: "write_subscriptions",
    privacy: "owner",
    hasTargets: true,
    filters: ["programID", "clientName", "objects"]
  },
  vens: {
    objectType: "VEN",
    noun: "ven",
    table: "vtn_vens",
    scope: "write_vens",
    privacy: "owner",
    hasTargets: true,
    filters: ["venName", "targets"]
  },
  resources: {
    objectType: "RESOURCE",
    noun: "resource",
    table: "vtn_resources",
    scope: "write_vens",
    privacy: "owner",
    hasTargets: true,
    filters: ["resourceName", "venID", "targets"]
  }
} as const satisfies Record<string, Kind>

export type KindName = keyof typeof kinds
export const kindNames = Object.keys(kinds) as ReadonlyArray<KindName>
