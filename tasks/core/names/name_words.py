"""Words by which a name's parts are told apart: given names, titles, honours, generations, firms, places.

None of these lists is complete. What they don't know is left as its source wrote it, or read as before.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _phrases(text: str) -> frozenset[str]:
    return frozenset(phrase.strip() for phrase in " ".join(text.split()).split("|"))


GENERATIONS = _phrases(
    """
    the elder | the younger | elder | younger | der altere | der jungere | der alte | der junge | d a | d j | le
    jeune | le vieux | laine | aine | jeune | l aine | pere | fils | il vecchio | il giovane | el viejo | el
    joven | el mozo | o velho | de oude | de jonge | i | ii | iii | iv | v | vi | vii | jr | sr | jnr | snr |
    junior | senior
    """
)
"""Folded, as tasks.core.names.matching.normalize_name folds: they stay at the end of a name."""

POST_NOMINALS = _words(
    """
    OM CH KG KT KB KP GC GCB KCB CB GCMG KCMG CMG GCVO KCVO CVO MVO LVO GBE KBE DBE CBE OBE MBE BEM ISO Bt Bart
    Kt RA PRA PPRA ARA HRA RSA PRSA PPRSA ARSA HRSA RHA PRHA ARHA HRHA RBA PRBA ROI RWS PRWS ARWS RSW RI PRI RE
    RP NEAC RCA RUA RCambrian FRS FRSA FSA FRIBA RIBA DCL LLD PhD NA ANA MD BA MA BFA MFA AIA FAIA
    """
)
"""Honours and memberships after a name, as they are written: no part of it."""

TITLES = _words(
    """
    sir dame lord lady baron baroness barone freiherr count countess comte comtesse conte contessa graf grafin
    duke duchess duc prince princess king queen marquis marquise marquess viscount vicomte earl archduke dr prof
    professor brother sister fra don frate frere abbe abbot father rev reverend mrs mr miss ms mme madame mlle
    captain capt colonel col major lieutenant lt general maestro master saint st chevalier cavaliere cav ritter
    shah sultan shaykh mir
    """
)

RANKS = _words(
    """
    lord lady baron baroness barone freiherr count countess comte comtesse conte contessa graf grafin duke
    duchess duc prince princess king queen marquis marquise marquess viscount vicomte earl archduke emperor
    empress
    """
)
"""Titles that go on with "of" and a place."""

PARTICLES = _words(
    """
    van von der den de del della delle dello dei degli da dal di du des do dos das la le los las lo ten ter te
    thor tot zu zum zur am of the y e i af av al el il ibn bin abu
    """
)

FIRM_ENDS = _phrases(
    """
    ltd | limited | inc | incorporated | co | company | llc | gmbh | ag | cie | corp | corporation | plc | bros
    | and company | and co | and sons | and son | s a
    """
)

FIRM_WORDS = _words(
    """
    workshop workshops museum museums manufactory manufactories manufacture manufacturing factory pottery
    potteries porcelain armory armoury company gallery galleries galerie galleria collection studio studios
    school academy academie university press society institute institut institution church cathedral chapel
    basilica convent abbey monastery library bibliotheque biblioteca shop foundation works mint firm ministry
    department bureau atelier imprimerie verlag publishers publishing printers printing foundry glassworks mill
    mills brothers bros sons cie co ltd inc gmbh corporation pinakothek pinacoteca nationalgalerie
    gemaldegalerie kunsthalle kunstmuseum palace palazzo castle villa duomo musee museo museu nationalmuseum
    instituto hospital college theatre bank group guild
    """
)

PLACES = _phrases(
    """
    amsterdam | antwerp | augsburg | austria | barcelona | basel | beijing | belgium | berlin | bern |
    birmingham | bologna | boston | brazil | brussels | budapest | canada | chicago | china | cologne |
    copenhagen | czech republic | delft | delhi | denmark | dresden | dublin | dusseldorf | edinburgh | edo |
    egypt | england | finland | flanders | florence | france | frankfurt | geneva | genoa | germany | ghent |
    glasgow | greece | guangzhou | haarlem | hague | hamburg | holland | hungary | india | iran | ireland |
    istanbul | italy | japan | jingdezhen | kyoto | leiden | leipzig | lille | limoges | lisbon | liverpool |
    london | los angeles | lyon | lyons | madrid | manchester | mannheim | meissen | mexico | mexico city |
    milan | moscow | munich | nancy | naples | netherlands | new york | new york city | ny | norway | nuremberg
    | osaka | oslo | oxford | padua | paris | parma | persia | philadelphia | poland | portugal | prague | rome
    | rotterdam | rouen | russia | saint petersburg | scotland | sevres | seville | sheffield | siena | spain |
    st petersburg | stockholm | strasbourg | strassburg | stuttgart | sweden | switzerland | syria | tokyo |
    toledo | tula | turin | turkey | uk | united kingdom | united states | urbino | us | usa | utrecht |
    valencia | vatican | venice | verona | vienna | wales | washington | zurich
    """
)

SCHOOL_PLACES = _phrases(
    """
    athens | avignon | barbizon | bergamo | brescia | bruges | burgos | catalonia | constantinople | cordoba
    | cremona | crete | cusco | cuzco | emilia | faenza | ferrara | fontainebleau | granada | hudson river |
    kyiv | lima | lombardy | lucca | mantua | messina | modena | nottingham | norwich | novgorod | orvieto |
    perugia | piedmont | pisa | pistoia | pont aven | posillipo | potosi | prato | provence | pskov | quito |
    ravenna | reims | rimini | sicily | swabia | tournai | tours | treviso | tuscany | tyrol | umbria |
    valladolid | vicenza | winchester
    """
)
"""More places that schools are called after."""

MASTERS = _words(
    """
    altdorfer barocci bassano bellini bellotto bernini bonnard bosch botticelli boucher bronzino bruegel
    brueghel canaletto caravaggio carpaccio carracci cezanne chardin cimabue constable correggio courbet
    cranach daumier degas delacroix domenichino donatello duccio durer fragonard gainsborough ghiberti
    ghirlandaio giambologna giorgione giotto goya guardi guercino hogarth hokusai holbein ingres leonardo
    lippi lotto manet mantegna masaccio masolino memling michelangelo monet moretto moroni murillo orcagna
    palladio parmigianino perino perugino picasso pinturicchio piranesi pisanello pontormo poussin
    primaticcio raphael rembrandt reynolds ribera romanino rosso rubens ruisdael signorelli sodoma squarcione
    tiepolo tintoretto titian uccello velazquez vermeer veronese verrocchio watteau zurbaran
    """
)
"""Single names, folded, that are certain to be an artist's, and no place's."""

GIVEN_NAMES = _words(
    """
    aaron abel abraham achille adam adelaide adele adolf adolph adolphe adriaen adrian adrien agnes agnolo
    agostino aime alain albert albertine alberto albrecht alessandro alex alexander alexandre alexandros
    alexandrine alexei alexey alexis alfons alfonse alfonso alfred alfredo alice allan allen alonso alonzo aloys
    alphonse amadeo amalia ambrogio ambroise ambrosius amedee amedeo amelia ana anders andre andrea andreas
    andrei andrew andrey andries andrzej andy angela angelica angelika anna anne annibale anselm anthonis
    anthony antoine anton antoni antonin antonio antonis antoon antony apollinaire aristide armand arnold
    arshile artemisia arthur arturo asher auguste augustin augustus aurelio baldassare baltasar balthasar
    baptiste barbara barnett bartholomeus bartolome bartolomeo basil beatrice ben benedetto benedict benjamin
    benoit benvenuto berenice bernard bernardino bernardo bernd bernhard bernhardus berthe bertha bonaventura
    bridget bruno camille carel carl carle carlo carlos carol caroline carolus caspar casper catharina catherine
    cecilia cecily cesar cesare charles charlotte chester childe chris christen christian christina christine
    christoffel christoph christophe christopher claes clara clarence claude claudio clement clemens clifford
    clyfford conrad constance constant constantin constantine cornelia cornelis cornelius cosimo cyril dan
    daniel daniele dante david denis dennis diane dick didier diego dieric dierick dietrich dirck dirk domenico
    domenikos dominique donald dora dorothea dorothy douglas duncan edgar edmond edmund edouard eduard eduardo
    edvard edward edwin egbert egon eileen eleanor elena elias elihu elisabeth elise elizabeth ella ellen elsa
    emanuel emil emile emilie emilio emily emma emmanuel enrico enrique eric erich erik erna ernest ernesto
    ernst erwin esther etienne eugen eugene eugenio eva evelyn evert fairfield federico felice felicien felix
    ferdinand fernand fernando filippo firmin flaminio florence francesca francesco francis francisco franciscus
    franco francois francoise frank frans frantisek franz fred frederic frederick frederik friedrich fritz
    gabriel gabriele gabrielle gaetano gaspar gaspard gaspare gaston genaro gentile geoffrey georg george
    georges georgia georgii gerard gerardus gerhard gerrit gertrude giacinto giacomo gian gianlorenzo gilbert
    gilles gino giorgio giovan giovanni girolamo giulio giuliano giuseppe godfrey gottfried grace grant gregorio
    gregory guglielmo guido guillaume gustaf gustav gustave guy hannah hans harald harold harriet harry hartmann
    heinrich helen helena helene hendrick hendrik henri henrietta henriette henrik henry herbert hercules herman
    hermann hermanus hieronymus hilaire hilma honore horace howard hubert hugh hugo humphrey ignace ignatius
    ignaz igor ilya ippolito isaac isaack isabel isabella isidore ivan jack jackson jacob jacobus jacopo jacques
    jakob jakub james jan jane jaroslav jasper jean jeanne jens jerome jessie joachim joan joannes joaquin jobst
    johan johann johanna johannes john jonas jonathan joos jorg jorge jose josef josefa joseph josephine joshua
    josiah joost juan judith jules julia julian julie julien julio julius jurgen jusepe justus karel karl kaspar
    kate katharina katherine kathe kazimir keith kenneth konrad konstantin konstantinos kurt ladislav lambert
    lancelot laszlo laura laurence laurent lavinia lawrence lazar lee leo leon leonard leonardo leonhard leonor
    leonora leopold lewis lilla lionel lodovico lorenz lorenzo lorser louis louisa louise lovis luc luca lucas
    lucian luciano lucien lucio lucy ludovico ludwig luigi luis luisa lukas lydia lyonel maarten mabel madeleine
    maerten manuel marc marcantonio marcel marcello marco marcus margaret margarethe marguerite maria marian
    marianne marie mario marius mark marsden martha marten martin mary mateo mathew mathias mathieu mathurin
    matteo matthaeus matthew matthias matthieu matthijs matthys maurice maurits mauro max maxfield maximilian
    maximilien maynard melchior meyer michael michel michele michiel miguel mikhail mikolaj milton minna moritz
    morris moses natalia nathaniel nicholas nicola nicolaes nicolai nicolas nicolaus niccolo niclaus nikolai
    nikolaus nikolay norman odilon olga oliver orazio oscar oskar ossip otto ottavio pablo paolo pascal pasquale
    patrick paul paula paulus pavel pedro peter petrus phil philip philipp philippe philips pier piero pierre
    piet pieter pietro pinturicchio pompeo quentin quinten quirijn rachel radolfo rafael raffaello ralph raphael
    raymond rebecca reginald reinhold remi rene reuben richard robert roberto rodolphe roelant roger rogier
    roland romeyn rosa rosalba roy rudolf rufino ruth salomon salvador salvator sam samuel sandro sara sarah
    sebastian sebastiano sebastien serge sergei sergey servais siegfried sigmund simeon simon simone sofonisba
    sonia sophie stanislas stanislaw stanton stefan stefano stephan stephen stuart suzanne sylvester taddeo
    tamara ted teodoro teresa theo theodor theodoor theodore theophile theresa thomas tilman timothy tobias tom
    tommaso toni ulrich ulysse umberto uriah ursula valentin valentine vasily vaslav veit vicente victor
    victoria viktor vilhelm vincent vincente vincenzo virginia vittore vittorio viviano vladimir walker walter
    wassily wenzel werner wilhelm wilhelmina willard willem william willy winifred winslow wolf wolfgang xavier
    yves zacharias
    """
)
"""Folded given names of Europe and America, as artists in the museums' own tables bear them."""
