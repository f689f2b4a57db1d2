import { cycles } from "./cycles.ts"
import { allowsModule, match, type Match } from "./patterns.ts"
import { resolve, type Target } from "./resolve.ts"
import { type Room, rooms, sliceOrder, type UseRule, useRules } from "./rules.ts"
import type { Import, SourceFile } from "./sourceFile.ts"

export interface Violation {
  readonly rule: string
  readonly place: string
  readonly message: string
}

/** The rules that hold for every file; the others are a row of the tables each. */
export const generalRules = {
  room: "every file belongs to a room",
  resolves: "every import leads to a file",
  form: "imports are written in one form",
  barrel: "no barrel files",
  cycle: "no cycles between files",
  folderCycle: "no cycles between folders",
  topicCycle: "no cycles between the topics of a slice"
} as const

interface Placed extends Match {
  readonly room: Room
}

const place = (path: string): Placed | undefined => {
  for (const room of rooms) {
    for (const pattern of [room.files].flat()) {
      const found = match(pattern, path)
      if (found !== undefined) return { room, ...found }
    }
  }
  return undefined
}

const rank = (slice: string | undefined) =>
  sliceOrder.findIndex((names) => slice !== undefined && names.includes(slice))

/** Checks the files against all rules; `exists` decides whether the repository has a path. */
export const checkImports = (files: ReadonlyArray<SourceFile>, exists: (path: string) => boolean) => [
  ...files.flatMap((file) => [...checkFile(file, exists), ...checkUses(file)]),
  ...checkCycles(files)
]

const checkFile = (file: SourceFile, exists: (path: string) => boolean): ReadonlyArray<Violation> => {
  const from = place(file.path)
  const barrel = isBarrel(file)
    ? [{ rule: generalRules.barrel, place: file.path, message: "only passes names on" }]
    : []
  if (from === undefined)
    return [...barrel, { rule: generalRules.room, place: file.path, message: "matches no row of rules.ts" }]
  return [...barrel, ...file.imports.flatMap((one) => checkImport(file, from, one, exists))]
}

const isBarrel = (file: SourceFile) =>
  /(^|\/)index\.ts$/.test(file.path) || file.imports.some(({ kind }) => kind === "re-export")

const checkImport = (file: SourceFile, from: Placed, one: Import, exists: (path: string) => boolean) => {
  const target = resolve(file.path, one.specifier)
  const broken = brokenRule(from, one, target, exists)
  if (broken === undefined) return []
  return [{ ...broken, place: `${file.path}:${one.line}`, message: `imports ${one.specifier}: ${broken.message}` }]
}

const brokenRule = (from: Placed, one: Import, target: Target, exists: (path: string) => boolean) => {
  if (target.kind === "wrong") return { rule: generalRules.form, message: target.why }
  if (target.kind === "module") return brokenModuleRule(from.room, one, target.name)
  if (!exists(target.path)) return { rule: generalRules.resolves, message: `${target.path} does not exist` }
  if (target.path.endsWith(".json")) return undefined
  const to = place(target.path)
  if (to === undefined || from.room.mayImport.some((allowed) => permits(allowed, from, to))) return undefined
  const order = to.slice === undefined ? "" : ` of the slice ${to.slice}`
  return { rule: from.room.name, message: `${from.room.name} may not import ${to.room.name}${order}` }
}

const brokenModuleRule = (room: Room, one: Import, module: string) => {
  if (module === "@effect/platform-node")
    return { rule: generalRules.form, message: "import a part of it, such as NodeRuntime" }
  if (!allowsModule(room.packages, module))
    return { rule: room.name, message: `${room.name} may not import this module` }
  const name = one.names.find((imported) => room.notNames?.includes(imported))
  return name === undefined ? undefined : { rule: room.name, message: `${room.name} may not use ${name}` }
}

const permits = (allowed: string, from: Placed, to: Placed) => {
  const [room, relation] = allowed.split(":")
  if (to.room.name !== room && !to.room.name.startsWith(`${room}/`)) return false
  if (relation === undefined) return true
  if (from.slug !== undefined || to.slug !== undefined) return relation === "own" && from.slug === to.slug
  return relation === "own" ? rank(to.slice) === rank(from.slice) : rank(to.slice) < rank(from.slice)
}

const checkUses = (file: SourceFile): ReadonlyArray<Violation> =>
  useRules
    .filter((rule) => applies(rule, file.path))
    .flatMap((rule) =>
      file.uses
        .filter(({ text }) => rule.uses.includes(text))
        .map(({ text, line }) => ({ rule: rule.name, place: `${file.path}:${line}`, message: `uses ${text}` }))
    )

const applies = (rule: UseRule, path: string) =>
  match(rule.within, path) !== undefined && !rule.onlyIn.some((pattern) => match(pattern, path) !== undefined)

/** A slice, a concern of the ground, or any other folder of a package; a file beside them is a folder of its own. */
const findFolder = (path: string) =>
  /^packages\/(?:adapters\/)?[^/]+\/src\/(?:platform\/)?[^/]+/.exec(path)?.[0] ??
  (path.startsWith("packages/") ? path : undefined)

/** A topic of a slice or a part of a concern of the server; a file beside them is a topic of its own. */
const findTopic = (path: string) =>
  path.startsWith("packages/server/")
    ? (/^packages\/server\/src\/(?:platform\/)?[^/]+\/[^/]+/.exec(path)?.[0] ?? path)
    : undefined

type Edges = ReadonlyArray<readonly [path: string, targets: ReadonlyArray<string>]>

/** The imports between files as imports between the folders that `find` names. */
const between = (find: (path: string) => string | undefined, edges: Edges) => {
  const folders = new Map<string, Set<string>>()
  for (const [path, targets] of edges) {
    const folder = find(path)
    if (folder === undefined) continue
    const found = folders.get(folder) ?? new Set()
    folders.set(folder, found)
    for (const target of targets.map(find)) if (target !== undefined && target !== folder) found.add(target)
  }
  return new Map([...folders].map(([folder, found]) => [folder, [...found]]))
}

const checkCycles = (files: ReadonlyArray<SourceFile>): ReadonlyArray<Violation> => {
  const edges = files.map(({ path, imports }) => {
    const targets = imports.map((one) => resolve(path, one.specifier))
    return [path, targets.flatMap((target) => (target.kind === "file" ? [target.path] : []))] as const
  })
  const toViolation = (rule: string) => (cycle: ReadonlyArray<string>) => ({
    rule,
    place: cycle[0]!,
    message: cycle.join(" → ")
  })
  return [
    ...cycles(new Map(edges)).map(toViolation(generalRules.cycle)),
    ...cycles(between(findFolder, edges)).map(toViolation(generalRules.folderCycle)),
    ...cycles(between(findTopic, edges)).map(toViolation(generalRules.topicCycle))
  ]
}
