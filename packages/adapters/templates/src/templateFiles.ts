import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Data, Effect } from "effect"
import { builtInTemplates } from "./builtInTemplates.ts"
import type { DeviceTemplate } from "./DeviceTemplate.ts"
import { readTemplate } from "./readTemplate.ts"

/** A file of the operator's templates that cannot be used. */
export class TemplateFileError extends Data.TaggedError("TemplateFileError")<{ readonly message: string }> {}

/** The first problem of a file, in one line. */
const unusable = (file: string, problems: Readonly<Record<string, string>>) => {
  const [[field, message] = ["", "Is no template"]] = Object.entries(problems)
  return new TemplateFileError({ message: `${file}: ${field}: ${message}` })
}

const parse = (path: string): Effect.Effect<unknown, TemplateFileError> =>
  Effect.try({
    try: () => JSON.parse(readFileSync(path, "utf8")),
    catch: (error) => new TemplateFileError({ message: `${path}: ${error instanceof Error ? error.message : error}` })
  })

/** The templates that come with the service. A test holds that all of them are valid. */
export const shippedTemplates: ReadonlyArray<DeviceTemplate> = Object.values(builtInTemplates).flatMap((document) => {
  const result = readTemplate(document)
  return "template" in result ? [result.template] : []
})

/** The templates of an operator's folder: all its files that end in `.json`, by name. One that is wrong fails them all. */
export const readTemplatesFolder = Effect.fnUntraced(function* (folder: string) {
  const names = yield* Effect.try({
    try: () => readdirSync(folder).filter((name) => name.endsWith(".json")),
    catch: () => new TemplateFileError({ message: `${folder} is not a folder that the server may read` })
  })
  const slugs = new Map(shippedTemplates.map(({ slug }) => [slug, "a template that comes with the service"]))
  const templates: Array<DeviceTemplate> = []
  for (const name of names.toSorted()) {
    const path = join(folder, name)
    const result = readTemplate(yield* parse(path))
    if ("problems" in result) return yield* unusable(path, result.problems)
    const { slug } = result.template
    const taken = slugs.get(slug)
    if (taken !== undefined) return yield* unusable(path, { slug: `Must not be ${slug}, the slug of ${taken}` })
    slugs.set(slug, path)
    templates.push(result.template)
  }
  return templates
})
