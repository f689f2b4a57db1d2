/**
 * Words in capitals without accents and punctuation. A period inside a number stays (39.2 Road), so does the slash of a
 * fraction (12½ is 12 1/2); the periods of P.O. or N.W. leave no gap.
 */
export const plainWords = (text: string): ReadonlyArray<string> =>
  text
    .replace(/(?<=\d)(?=[¼-¾⅐-⅞])/gu, " ")
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/gu, "")
    .normalize("NFC")
    .toUpperCase()
    .replaceAll("⁄", "/")
    .replace(/['’‘`]/gu, "")
    .replace(/(?<![\p{L}\p{N}])(\p{L})\./gu, "$1")
    .replace(/(?<!\d)\.|\.(?!\d)/gu, " ")
    .replace(/(?<!\d)\/|\/(?!\d)/gu, " ")
    .replaceAll("&", " AND ")
    .replaceAll("#", " # ")
    .replace(/[^\p{L}\p{N}\p{M}#./]+/gu, " ")
    .trim()
    .split(/\s+/u)

export const plainText = (text: string): string => plainWords(text).join(" ")
