const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  // Without a prototype, so that a field of any name is one of its own.
  const fields: Record<string, unknown> = Object.create(null)
  for (const name of Object.keys(value).sort()) fields[name] = sorted((value as typeof fields)[name])
  return fields
}

/**
 * One spelling for all texts of the same JSON value, whatever their spaces, order of fields, escapes and spelling of
 * numbers. A text that is no JSON, or nested too deeply to be walked, stands for itself.
 */
export const canonicalJson = (text: string): string => {
  try {
    return JSON.stringify(sorted(JSON.parse(text)))
  } catch {
    return text
  }
}
