import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll } from "vitest"
import { runProgram } from "../../support/launch.ts"
import { packOnce } from "../../support/packOnce.ts"

const fromTop = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))
const tsc = fromTop("node_modules/.bin/tsc")

const preferOffline = { ...process.env, npm_config_prefer_offline: "true" }

const strict = {
  target: "ES2024",
  module: "NodeNext",
  moduleResolution: "NodeNext",
  lib: ["ES2024", "DOM"],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  outDir: "out"
}

const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))

/** A project outside the repository that has installed the packed `@edp/domain`. */
export class Consumer {
  readonly folder = mkdtempSync(join(tmpdir(), "edp-consumer-"))
  private readonly packed = join(this.folder, "node_modules/@edp/domain")

  async install() {
    const tarballs = await packOnce()
    const effect = realpathSync(fromTop("packages/domain/node_modules/effect"))
    const dependencies = { "@edp/domain": `file:${tarballs.domain}`, effect: `file:${effect}` }
    this.write("package.json", JSON.stringify({ private: true, type: "module", dependencies }))
    await runProgram("npm", ["install", "--offline", "--no-audit", "--no-fund"], {
      cwd: this.folder,
      env: preferOffline
    })
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true })
  }

  write(path: string, text: string) {
    mkdirSync(join(this.folder, path, ".."), { recursive: true })
    writeFileSync(join(this.folder, path), text)
  }

  /** Text of a file of the installed package. */
  read(path: string): string {
    return readFileSync(join(this.packed, path), "utf8")
  }

  packageFiles(): ReadonlyArray<string> {
    return filesBelow(this.packed)
  }

  installed(): Array<string> {
    return readdirSync(join(this.folder, "node_modules")).filter((name) => !name.startsWith("."))
  }

  /** Compiles files of the project; fails with what the compiler says. */
  compile(files: ReadonlyArray<string>, compilerOptions: object = {}): Promise<string> {
    this.write("tsconfig.json", JSON.stringify({ compilerOptions: { ...strict, ...compilerOptions }, files }))
    return runProgram(tsc, ["-p", "."], { cwd: this.folder })
  }

  /** Runs a compiled file and responds with what it prints. */
  run(file: string, env: Readonly<Record<string, string>>): Promise<string> {
    return runProgram(process.execPath, [join("out", file)], { cwd: this.folder, env })
  }
}

/** A test file's consumer. */
export const useConsumer = (): Consumer => {
  const consumer = new Consumer()
  beforeAll(() => consumer.install())
  afterAll(() => consumer.remove())
  return consumer
}
