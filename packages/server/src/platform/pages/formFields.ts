/** Bytes of a form. The longest one has ten fields. */
export const FORM_LIMIT_KIB = 64

const MAX_FIELDS = 200

/** PostgreSQL can store neither NUL nor unpaired surrogates. */
const storable = (text: string) => text.replaceAll("\0", "").toWellFormed()

/** Fields with their values; undefined if there are more than any page has. */
export const parseFields = (text: string): Fields | undefined => {
  const fields = new Map<string, Array<string>>()
  let count = 0
  for (const [name, value] of new URLSearchParams(text)) {
    if (++count > MAX_FIELDS) return undefined
    const values = fields.get(name)
    if (values === undefined) fields.set(name, [storable(value)])
    else values.push(storable(value))
  }
  return fields
}

/** The fields of a form or a query, each with its values. */
export type Fields = ReadonlyMap<string, ReadonlyArray<string>>

/** The field's value; empty without one. */
export const field = (fields: Fields, name: string) => fields.get(name)?.[0] ?? ""

/** Every field that was given once. A repeated one is ambiguous, so it counts as missing. */
export const singleFields = (fields: Fields): Readonly<Record<string, string>> =>
  Object.fromEntries([...fields].flatMap(([name, values]) => (values.length === 1 ? [[name, values[0]!]] : [])))
