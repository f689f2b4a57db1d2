import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Language } from "@edp/domain/shared/Language"
import type { Page } from "playwright-core"

const read = (language: Language): object =>
  JSON.parse(
    readFileSync(
      fileURLToPath(new URL(`../../packages/dashboard/src/messages/${language}.json`, import.meta.url)),
      "utf8"
    )
  )

/** Each text of a table, however deep. Those that insert values are left out. */
const texts = (table: object): ReadonlyArray<string> =>
  Object.values(table).flatMap((each) => (typeof each !== "string" ? texts(each) : each.includes("{") ? [] : [each]))

/** English messages of the page that stand for nothing in another language. */
export const englishMessages = (language: Language): ReadonlySet<string> => {
  const translated = new Set(texts(read(language)))
  return new Set(texts(read("en")).filter((text) => !translated.has(text)))
}

/** Texts that are cut off at the edge of a frame that does not scroll, unless a tooltip has them whole. */
export const cutTexts = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(`(() => {
    const found = new Set()
    const range = document.createRange()
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const text = walker.currentNode.textContent.trim()
      const parent = walker.currentNode.parentElement
      if (text === "" || parent.closest("option, svg, .hidden, [title]") || !parent.checkVisibility({ visibilityProperty: true })) continue
      range.selectNodeContents(walker.currentNode)
      const { left, right } = range.getBoundingClientRect()
      for (let frame = parent; frame !== document.body; frame = frame.parentElement) {
        const { overflowX } = getComputedStyle(frame)
        if (overflowX === "auto" || overflowX === "scroll") break
        const edge = frame.getBoundingClientRect()
        if (overflowX !== "visible" && (right > edge.right + 1 || left < edge.left - 1)) found.add(text)
      }
    }
    return [...found]
  })()`)

/** All messages of a page that a person sees or a screen reader reads. */
export const messagesOn = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(`(() => {
    const found = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) found.push(walker.currentNode.textContent.trim())
    for (const name of ["aria-label", "title", "placeholder", "alt"])
      for (const each of document.querySelectorAll("[" + name + "]")) found.push(each.getAttribute(name))
    return [document.title.replace(/ · edp$/, ""), ...found].filter((text) => text !== "")
  })()`)
