/** An error in a file: the line, the element and what it takes. */
export interface ElementProblem {
  readonly line: number
  readonly text: string
}

export const takes = (line: number, element: string, what: string): ElementProblem => ({
  line,
  text: `line ${line}, element ${element}: takes ${what}`
})

/** The file can't be read any further. */
export class FeedProblem extends Error {
  readonly problem: ElementProblem
  constructor(line: number, text: string) {
    super(text)
    this.problem = { line, text: `line ${line}: ${text}` }
  }
}
