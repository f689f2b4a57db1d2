import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { runProgram } from "../../support/launch.ts"

const fromTop = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))
const bin = (name: string) => fromTop(`test/node_modules/.bin/${name}`)

/** The compiler of this repository, and the one that the generators ask for. */
export const compilers = { "TypeScript 7": fromTop("node_modules/.bin/tsc"), "TypeScript 5": bin("tsc") }

const compilerOptions = {
  target: "ES2024",
  module: "NodeNext",
  moduleResolution: "NodeNext",
  lib: ["ES2024", "DOM", "DOM.Iterable"],
  types: ["node"],
  typeRoots: [dirname(dirname(createRequire(import.meta.url).resolve("@types/node/package.json")))],
  strict: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  rootDir: ".",
  outDir: "out"
}

/** A section of a Markdown text, and its code blocks by language. */
export const findCode = (markdown: string, heading: string) => {
  const [, section = ""] = markdown.split(`\n### ${heading}\n`)
  const [own = ""] = section.split("\n### ")
  return (language: string) => new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "m").exec(own)![1]!
}

/** A project of a developer who generates a client and uses only the document. */
export class GeneratedProject {
  private readonly folder = mkdtempSync(join(tmpdir(), "edp-generated-"))

  constructor() {
    const modules = join(this.folder, "node_modules")
    mkdirSync(modules)
    symlinkSync(realpathSync(fromTop("test/node_modules/openapi-fetch")), join(modules, "openapi-fetch"))
    this.write("package.json", JSON.stringify({ private: true, type: "module" }))
    this.write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["**/*.ts"], exclude: ["out"] }))
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true })
  }

  write(path: string, text: string) {
    writeFileSync(join(this.folder, path), text)
  }

  /** Runs a documented `npx` command. */
  generate(command: string) {
    const [, tool, ...args] = command.split(" ")
    return runProgram(bin(tool!), args, { cwd: this.folder })
  }

  compile(compiler: keyof typeof compilers) {
    return runProgram(compilers[compiler], ["-p", "."], { cwd: this.folder })
  }

  run(file: string, env: Readonly<Record<string, string>>) {
    return runProgram(process.execPath, [join("out", file)], { cwd: this.folder, env })
  }
}
