interface SiteNames {
  readonly name: string | null
  readonly referenceId: string | null
  readonly address: { readonly streetOne: string; readonly city: string }
}

/** The display name of a site: its own, else its first street line. */
export const siteName = ({ name, address }: SiteNames): string => name ?? address.streetOne

interface CustomerNames {
  readonly id: string
  readonly firstName: string | null
  readonly lastName: string | null
  readonly email: string | null
  readonly referenceId: string | null
}

/** The display name of a customer; a customer without one has an e-mail address, a reference or only its id. */
export const customerName = ({ id, firstName, lastName, email, referenceId }: CustomerNames): string => {
  const name = [firstName, lastName].filter((each) => each !== null && each !== "").join(" ")
  return name !== "" ? name : (email ?? referenceId ?? id)
}

interface AddressLines {
  readonly streetOne: string
  readonly streetTwo?: string
  readonly city: string
  readonly state: string
  readonly postalCode: string
  readonly country?: string
}

/** An address in one line. */
export const addressLine = ({ streetOne, streetTwo, city, state, postalCode, country }: AddressLines): string =>
  [streetOne, streetTwo, city, `${state} ${postalCode}`, country]
    .filter((each) => each !== undefined && each.trim() !== "")
    .join(", ")
