import { readFileSync } from "node:fs"

export interface Block {
  readonly file: string
  /** The number of its first line, starting at 1. */
  readonly line: number
  readonly text: string
  /** The reason why the block is not run, if it is not. */
  readonly notRun: string | undefined
  /** A pattern for commands that run until stopped: each is stopped by Ctrl-C when its output matches. */
  readonly until: string | undefined
  /** The account with which a person goes through the connect link in `$LINK` before the block. */
  readonly visit: string | undefined
}

const root = new URL("../../", import.meta.url)
const fence = /(?:^<!-- (not run|until|visit): ([^\n]*) -->\n)?^```sh\n([^]*?)^```$/gm

/** The shell blocks of a document, in order, with their hidden comments. */
export const shellBlocks = (file: string): ReadonlyArray<Block> => {
  const text = readFileSync(new URL(file, root), "utf8")
  return [...text.matchAll(fence)].map(({ 0: whole, 1: kind, 2: argument, 3: commands = "", index }) => ({
    file,
    line: text.slice(0, index + whole.length).split("\n").length - commands.split("\n").length + 1,
    text: commands,
    notRun: kind === "not run" ? argument : undefined,
    until: kind === "until" ? argument : undefined,
    visit: kind === "visit" ? argument : undefined
  }))
}
