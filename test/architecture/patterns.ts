import { sliceOrder } from "./rules.ts"

export interface Match {
  readonly slice: string | undefined
  readonly slug: string | undefined
}

const slices = sliceOrder.flat().join("|")

const token = /<slice>|<slug>|\*\*\/|\*\*?|\[[^\]]+\]|\{[^}]+\}|[.+?^$()|\\]/g

const translate = (text: string) => {
  switch (text) {
    case "<slice>":
      return `(?<slice>${slices})`
    case "<slug>":
      return "(?<slug>[^/]+)"
    case "**/":
      return "(?:.*/)?"
    case "**":
      return ".*"
    case "*":
      return "[^/]*"
  }
  if (text.startsWith("[")) return text
  return text.startsWith("{") ? `(?:${text.slice(1, -1).replaceAll(",", "|")})` : `\\${text}`
}

const compiled = new Map<string, RegExp>()

const compile = (pattern: string) => {
  const known = compiled.get(pattern) ?? new RegExp(`^${pattern.replace(token, translate)}$`)
  compiled.set(pattern, known)
  return known
}

/** Matches a path with a pattern of the rules and returns the slice or slug in it. */
export const match = (pattern: string, path: string): Match | undefined => {
  const found = compile(pattern).exec(path)
  return found === null ? undefined : { slice: found.groups?.slice, slug: found.groups?.slug }
}

/** Is a module of node_modules or Node allowed: some pattern names it, and none with `!` does. `*` crosses slashes here. */
export const allowsModule = (patterns: ReadonlyArray<string>, module: string): boolean => {
  const named = (pattern: string) => match(pattern.replaceAll("*", "**"), module) !== undefined
  const [taken, given] = [patterns.filter((one) => one.startsWith("!")), patterns.filter((one) => !one.startsWith("!"))]
  return given.some(named) && !taken.some((pattern) => named(pattern.slice(1)))
}
