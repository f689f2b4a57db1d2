import { randomUUID } from "node:crypto"
import { access, constants, mkdir, readFile, readdir, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { StartError } from "../StartError.ts"
import { takeNewDatabase } from "./newDatabase.ts"

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  ENOENT: "it does not exist",
  ENOTDIR: "a part of the path is a file",
  EEXIST: "there is a file of that name",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up"
}

/** Turns the error of a file operation into one line. */
export const explainFileError =
  (attempt: string) =>
  (error: unknown): StartError => {
    if (error instanceof StartError) return error
    const { code, message } = error as NodeJS.ErrnoException
    return new StartError({ message: `cannot ${attempt}: ${(code && reasons[code]) ?? message}` })
  }

/** The version of PostgreSQL whose files this program can read. */
const majorVersion = "18"

/** Creates the data folder if it is missing, accessible by its owner alone. */
export const openFolder = (folder: string): Effect.Effect<void, StartError> =>
  Effect.tryPromise({
    try: async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    },
    catch: explainFileError(`use the data folder ${folder}`)
  })

/**
 * PostgreSQL's own lock file. A kill while it is written leaves it empty, and the engine then refuses to start. This
 * process holds the lock of the data folder, so the file is always a leftover.
 */
const LOCK_FILE = "postmaster.pid"

/**
 * Opens the folder of the database's files and creates it if it is missing. It is filled under another name and then renamed, so
 * an incomplete one is never taken for a database.
 */
export const openDatabaseFolder = Effect.fnUntraced(function* (folder: string): Effect.fn.Return<string, StartError> {
  const path = join(folder, "pgdata")
  const content = yield* attempt(`read ${path}`, () => readContent(path))
  yield* attempt(`tidy the data folder ${folder}`, () => removeUnfinished(folder))
  if (content === "empty") {
    const draft = `${path}.new-${randomUUID()}`
    yield* initialise(draft)
    yield* attempt(`create ${path}`, () => rename(draft, path))
    return path
  }
  if (content.version !== majorVersion) {
    return yield* new StartError({
      message: `${path} was written by PostgreSQL ${content.version}, this server reads version ${majorVersion}: dump it with the version that wrote it and restore the dump`
    })
  }
  yield* attempt(`tidy ${path}`, () => rm(join(path, LOCK_FILE), { force: true }))
  return path
})

const attempt = <A>(what: string, run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: explainFileError(what) })

const readContent = async (path: string): Promise<"empty" | { readonly version: string }> => {
  const names = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return new Array<string>()
    throw error
  })
  if (names.length === 0) return "empty"
  if (!names.includes("PG_VERSION")) {
    throw new StartError({ message: `${path} is not a database: move it away, and a new one is created` })
  }
  return { version: (await readFile(join(path, "PG_VERSION"), "utf8")).trim() }
}

const removeUnfinished = async (folder: string) => {
  const names = await readdir(folder)
  for (const name of names.filter((name) => name.startsWith("pgdata.new-"))) {
    await rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 })
  }
}

const initialise = (path: string): Effect.Effect<void, StartError> =>
  Effect.callback<void, StartError>((resume) => {
    const database = takeNewDatabase()
    void database.writeTo(path).then((problem) => {
      if (problem === undefined) return resume(Effect.void)
      resume(Effect.fail(new StartError({ message: `cannot create the embedded database in ${path}: ${problem}` })))
    })
    return Effect.sync(database.kill)
  }).pipe(
    Effect.timeoutOrElse({
      duration: "2 minutes",
      orElse: () => Effect.fail(new StartError({ message: `creating the embedded database in ${path} took too long` }))
    })
  )
