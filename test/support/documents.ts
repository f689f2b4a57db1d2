import { readFileSync } from "node:fs"

export interface Block {
  readonly file: string
  /** Of its first line, counted from 1. */
  readonly line: number
  readonly text: string
  /** Why the block is not run where the documents are; undefined where it is. */
  readonly notRun: string | undefined
  /** What the output of each of its lines must match before that line is stopped by Ctrl-C; undefined where they end by themselves. */
  readonly until: string | undefined
}

const root = new URL("../../", import.meta.url)
const fence = /(?:^<!-- (not run|until): ([^\n]*) -->\n)?^```sh\n([^]*?)^```$/gm

/** The blocks of a document that are for a shell, in order. A comment that readers don't see may stand above one. */
export const shellBlocks = (file: string): ReadonlyArray<Block> => {
  const text = readFileSync(new URL(file, root), "utf8")
  return [...text.matchAll(fence)].map(({ 0: whole, 1: kind, 2: argument, 3: commands = "", index }) => ({
    file,
    line: text.slice(0, index + whole.length).split("\n").length - commands.split("\n").length + 1,
    text: commands,
    notRun: kind === "not run" ? argument : undefined,
    until: kind === "until" ? argument : undefined
  }))
}
