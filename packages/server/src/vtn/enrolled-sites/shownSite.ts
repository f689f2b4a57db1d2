/** A site as its resource shows it. */
export interface ShownSite {
  readonly id: string
  readonly name: string | null
  readonly streetOne: string
  readonly streetTwo: string | null
  readonly city: string
  readonly state: string
  readonly postalCode: string
  readonly latitude: number | null
  readonly longitude: number | null
  readonly tags: ReadonlyArray<string>
}

/** Characters of a name of OpenADR. */
const NAME_LENGTH = 128

/** The first characters of a name, with room for what is appended. */
const shortened = (name: string, room: number) => [...name].slice(0, NAME_LENGTH - room).join("")

/** A name, and the one with an id appended, for where the first is taken. */
export const nameForms = (name: string, id: string): readonly [string, string] => [
  shortened(name, 0),
  `${shortened(name, id.length + 1)} ${id}`
]

const address = ({ city, postalCode, state, streetOne, streetTwo }: ShownSite) =>
  [streetOne, ...(streetTwo ? [streetTwo] : []), city, `${state} ${postalCode}`].join(", ")

/** The names that the resource of a site may have. */
export const siteNames = (site: ShownSite) => nameForms(site.name ?? address(site), site.id)

/** Attributes of the definition that the platform knows of a site. LOCATION is the longitude, then the latitude, in degrees. */
export const siteAttributes = (site: ShownSite) => [
  { type: "DESCRIPTION", values: [address(site)] },
  ...(site.latitude === null || site.longitude === null
    ? []
    : [{ type: "LOCATION", values: [site.longitude, site.latitude] }])
]

export const siteTargets = ({ tags }: ShownSite): ReadonlyArray<string> => [...new Set(tags)]
