import type { CreateSite, Site, UpdateSite } from "@edp/domain/sites/Site"

/** The messages of the form of a site. */
export interface SiteForm {
  readonly name: string
  readonly referenceId: string
  readonly streetOne: string
  readonly streetTwo: string
  readonly city: string
  readonly state: string
  readonly postalCode: string
  readonly country: string
  readonly latitude: string
  readonly longitude: string
  readonly timezone: string
  readonly tags: string
  readonly maxImportW: string
  readonly maxExportW: string
}

export const emptySite: SiteForm = {
  name: "",
  referenceId: "",
  streetOne: "",
  streetTwo: "",
  city: "",
  state: "",
  postalCode: "",
  country: "",
  latitude: "",
  longitude: "",
  timezone: "",
  tags: "",
  maxImportW: "",
  maxExportW: ""
}

const text = (value: string | number | null | undefined) => (value === null || value === undefined ? "" : String(value))

export const formFromSite = (site: Site): SiteForm => ({
  name: text(site.name),
  referenceId: text(site.referenceId),
  streetOne: site.address.streetOne,
  streetTwo: text(site.address.streetTwo),
  city: site.address.city,
  state: site.address.state,
  postalCode: site.address.postalCode,
  country: text(site.address.country),
  latitude: text(site.location?.latitude),
  longitude: text(site.location?.longitude),
  timezone: text(site.timezone),
  tags: site.tags.join(", "),
  maxImportW: text(site.maxImportW),
  maxExportW: text(site.maxExportW)
})

const addressLines = ["streetOne", "streetTwo", "city", "state", "postalCode", "country"] as const

const orNull = (value: string) => (value.trim() === "" ? null : value.trim())
const numberOrNull = (value: string) => (value.trim() === "" ? null : Number(value))

const splitTags = (value: string) => [
  ...new Set(
    value
      .split(",")
      .map((tag) => tag.trim())
      .filter((tag) => tag !== "")
  )
]

const locationFrom = ({ latitude, longitude }: SiteForm) =>
  latitude.trim() === "" && longitude.trim() === ""
    ? null
    : { latitude: Number(latitude), longitude: Number(longitude) }

const fields = {
  name: ({ name }: SiteForm) => orNull(name),
  referenceId: ({ referenceId }: SiteForm) => orNull(referenceId),
  timezone: ({ timezone }: SiteForm) => orNull(timezone),
  tags: ({ tags }: SiteForm) => splitTags(tags),
  maxImportW: (form: SiteForm) => numberOrNull(form.maxImportW),
  maxExportW: (form: SiteForm) => numberOrNull(form.maxExportW),
  location: locationFrom
}

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

const entries = Object.entries(fields) as ReadonlyArray<[keyof typeof fields, (form: SiteForm) => unknown]>

/** The site that a form describes. What is empty is left out, so that the address is located by the service. */
export const siteToCreate = (form: SiteForm): CreateSite => ({
  address: Object.fromEntries(
    addressLines.flatMap((line) => (form[line].trim() === "" ? [] : [[line, form[line].trim()]]))
  ) as unknown as CreateSite["address"],
  ...Object.fromEntries(
    entries.flatMap(([name, read]) => {
      const value = read(form)
      return value === null || isEqual(value, []) ? [] : [[name, value]]
    })
  )
})

/**
 * The changes between two states of a form: null clears a field. The coordinates are sent only if they were changed, because a new
 * address without them is located by the service.
 */
export const siteChanges = (before: SiteForm, after: SiteForm): UpdateSite => {
  const lines = addressLines.filter((line) => before[line].trim() !== after[line].trim())
  return {
    ...(lines.length > 0 && { address: Object.fromEntries(lines.map((line) => [line, orNull(after[line])])) }),
    ...Object.fromEntries(
      entries.flatMap(([name, read]) => (isEqual(read(before), read(after)) ? [] : [[name, read(after)]]))
    )
  }
}
