import type { Criteria } from "@edp/domain/collections/criteria"
import type { FleetFilters } from "@edp/domain/dashboard/Fleet"

/** Devices that can be selected one by one: a filter takes so many ids, and a tag is a write for each. */
export const SELECTION_LIMIT = 100

/** The chosen devices: some, or all that match the filters. */
export type Selection = { readonly kind: "some"; readonly ids: ReadonlySet<string> } | { readonly kind: "all" }

export const nothingSelected: Selection = { kind: "some", ids: new Set() }

export const isSelected = (selection: Selection, id: string) => selection.kind === "all" || selection.ids.has(id)

export const isNothing = (selection: Selection) => selection.kind === "some" && selection.ids.size === 0

/** The selection after devices were added to it or taken from it. `isCut`: there was no room for all of them. */
export const select = (
  selection: Selection,
  ids: ReadonlyArray<string>,
  isChosen: boolean
): { readonly selection: Selection; readonly isCut: boolean } => {
  const next = new Set(selection.kind === "some" ? selection.ids : [])
  for (const id of ids) {
    if (!isChosen) next.delete(id)
    else if (next.size < SELECTION_LIMIT) next.add(id)
  }
  const isCut = isChosen && ids.some((id) => !next.has(id))
  return { selection: { kind: "some", ids: next }, isCut }
}

/**
 * The criteria of a collection with the devices that match the filters; undefined if criteria cannot say it: they know neither the search
 * in names, ids and serial numbers without regard to case, nor whether the source still delivers a device.
 */
export const toCriteria = ({ q, status, ...filters }: FleetFilters): Criteria | undefined => {
  if (q !== undefined || status !== undefined) return undefined
  const attributes = {
    type: filters.type,
    manufacturer: filters.manufacturer,
    onlineStatus: filters.onlineStatus,
    tags: filters.tag,
    siteId: filters.siteId
  }
  const rules = Object.entries(attributes).flatMap(([attribute, value]) =>
    value === undefined ? [] : [{ attribute, operator: "in" as const, value }]
  )
  return rules.length === 0 ? {} : { all: rules }
}
