declare const brand: unique symbol;

/** A nominal type: `Base` that went through the one parser that may call it `Name`. Erased at run time. */
export type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };
